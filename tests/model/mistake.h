/* A model file with one mistake, and where its message must be. */
#ifndef TESTS_MODEL_MISTAKE_H
#define TESTS_MODEL_MISTAKE_H

#include "load.h"

typedef struct mistake {
  const char *text;
  int line, column;
  const char *message; /* part of it */
} mistake;

/* However often it occurs in a file, a mistake is one message. */
static inline void expect_one(const mistake *m) {
  loaded r = load_text(m->text, NULL);
  const trm_diagnostic *d = trm_diagnostics_get(r.diagnostics, 0);
  bool good = trm_diagnostics_errors(r.diagnostics) == 1 && d->line == m->line &&
              d->column == m->column && strstr(d->message, m->message);
  if (!good) {
    print_message("%s\nexpected at %d:%d: %s\nfound:\n", m->text, m->line, m->column, m->message);
    print_messages(&r);
  }
  assert_true(good);
  assert_int_equal(r.status, TRM_BAD_MODEL);
  unload(&r);
}

#define EXPECT_ALL(mistakes)                                                                       \
  for (size_t i = 0; i < sizeof(mistakes) / sizeof *(mistakes); i++) expect_one(&(mistakes)[i])

#endif

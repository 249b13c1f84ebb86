/* Numbers have a decimal point in every file, whatever the caller's locale: it is set aside for
 * this thread while they are read and written. */
#ifndef TRM_BASE_LOCALE_H
#define TRM_BASE_LOCALE_H

#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

typedef struct trm_locale {
  locale_t plain, before;
} trm_locale;

static inline trm_locale trm_locale_begin(void) {
  trm_locale l = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  l.before = uselocale(l.plain);
  return l;
}

static inline void trm_locale_end(trm_locale l) {
  uselocale(l.before);
  if (l.plain) freelocale(l.plain);
}

#endif

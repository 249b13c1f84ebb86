/* Measures of a system of the user's own: coordinates, their derivatives, multipliers, energies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"

typedef struct whole {
  const char *name;
  trm_measure_kind kind;
  int component;
  bool needs_energy;
} whole;

static const whole wholes[] = {
    {"energy.kinetic", TRM_MEASURE_ENERGY, 0, false},
    {"energy.potential", TRM_MEASURE_ENERGY, 1, true},
    {"energy.total", TRM_MEASURE_ENERGY, 2, true},
    {"energy.work", TRM_MEASURE_ENERGY, 3, true},
    {"energy.error", TRM_MEASURE_ENERGY, 4, true},
    {"constraint.position", TRM_MEASURE_CONSTRAINT, 0, false},
    {"constraint.velocity", TRM_MEASURE_CONSTRAINT, 1, false},
};
enum { WHOLES = sizeof wholes / sizeof *wholes, LONGEST_NAME = 256 };

/* In the order of the results' columns; the name is written, too. False: there are no more. */
static bool measure_at(const trm_user *user, int i, trm_measure *measure, char *name, size_t size) {
  static const char *const primes[] = {"", "'", "''"};
  int rows = user->m + user->p;
  if (i < 3 * user->n) {
    *measure =
        (trm_measure){.kind = TRM_MEASURE_COORDINATE, .index = i % user->n, .level = i / user->n};
    snprintf(name, size, "%s%s", user->names[measure->index], primes[measure->level]);
    return true;
  }
  i -= 3 * user->n;
  if (i < rows) {
    *measure = (trm_measure){.kind = TRM_MEASURE_MULTIPLIER, .index = i, .level = 2};
    snprintf(name, size, "lambda%d", i + 1);
    return true;
  }
  for (int k = 0, next = rows; k < WHOLES; k++) {
    if (wholes[k].needs_energy && !user->has_energy) continue;
    if (next++ < i) continue;
    *measure = (trm_measure){.kind = wholes[k].kind, .component = wholes[k].component, .level = 2};
    snprintf(name, size, "%s", wholes[k].name);
    return true;
  }
  return false;
}

static bool find(const trm_user *user, const char *text, size_t length, trm_measure *measure) {
  char name[LONGEST_NAME];
  for (int i = 0; measure_at(user, i, measure, name, sizeof name); i++)
    if (trm_text_is(name, text, length)) return true;
  return false;
}

static void explain(const trm_model *model, const char *text, size_t length, char *reason,
                    size_t size) {
  const trm_user *user = model->user;
  char hint[160];
  if (!user->has_energy && length > 7 && strncmp(text, "energy.", 7) == 0) {
    snprintf(reason, size, "'%.*s': the system has no energy of its own, only energy.kinetic",
             (int)length, text);
    return;
  }
  trm_suggest(model, text, length, user->names, user->n, hint, sizeof hint);
  char multipliers[32] = "";
  if (user->m + user->p > 0)
    snprintf(multipliers, sizeof multipliers, "lambda1 to lambda%d, ", user->m + user->p);
  snprintf(reason, size,
           "unknown measure '%.*s'%s; measures are coordinates (x, x', x''), %senergy and "
           "constraint",
           (int)length, text, hint, multipliers);
}

bool trm_user_measure(const trm_model *model, const char *text, size_t length, trm_measure *measure,
                      char *reason, size_t size) {
  if (find(model->user, text, length, measure)) return true;
  explain(model, text, length, reason, size);
  return false;
}

/* "energy" selects what stands behind its dot, "lambda" all multipliers. */
static bool is_selected(const char *selection, const trm_measure *measure, const char *name) {
  size_t length = strlen(selection);
  if (strcmp(selection, name) == 0) return true;
  if (strcmp(selection, "lambda") == 0) return measure->kind == TRM_MEASURE_MULTIPLIER;
  return strncmp(selection, name, length) == 0 && name[length] == '.';
}

bool trm_user_select(trm_model *model, const char *selection, trm_measure **list, int *count,
                     char *reason, size_t size) {
  char name[LONGEST_NAME];
  trm_measure measure;
  int before = *count;
  for (int i = 0; measure_at(model->user, i, &measure, name, sizeof name); i++) {
    if (selection && !is_selected(selection, &measure, name)) continue;
    trm_measure *items = trm_grow(model->arena, *list, *count, sizeof **list);
    measure.name = trm_arena_string(model->arena, name);
    if (!items || !measure.name) {
      snprintf(reason, size, "out of memory");
      return false;
    }
    *list = items;
    items[(*count)++] = measure;
  }
  if (*count > before) return true;
  explain(model, selection ? selection : "", selection ? strlen(selection) : 0, reason, size);
  return false;
}

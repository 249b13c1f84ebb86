/* Which runs: lists of the command line, or what suits the model. */
#include "accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LADDER = 7 };
static const double above = 32;          /* times the model's own step: the largest of the ladder */
static const double default_step = 1e-3; /* of a model that names none */

const char *const trm_cli_list_keys[TRM_LISTS] = {
    "integrator", "coordinates", "solver", "stabilization", "energy", "step", "rtol"};

/* --- reading --- */

static const char **name_of(trm_settings *settings, int key) {
  const char **fields[TRM_LIST_METHODS] = {&settings->integrator, &settings->coordinates,
                                           &settings->solver, &settings->stabilization,
                                           &settings->energy};
  return fields[key];
}

static void add_name(trm_cli_list *list, const char *name) {
  for (int k = 0; k < list->count; k++)
    if (strcmp(list->names[k], name) == 0) return;
  list->names[list->count++] = name;
}

/* Decreasing, each once. */
static void add_number(trm_cli_list *list, double number) {
  int at = 0;
  while (at < list->count && list->numbers[at] > number) at++;
  if (at < list->count && list->numbers[at] == number) return;
  memmove(list->numbers + at + 1, list->numbers + at,
          (size_t)(list->count - at) * sizeof *list->numbers);
  list->numbers[at] = number;
  list->count++;
}

static bool read_item(trm_cli_accuracy *a, int key, const char *option, const char *item) {
  trm_settings settings = trm_default_settings();
  trm_cli_list *list = &a->lists[key];
  trm_status status = trm_settings_set(&settings, trm_cli_list_keys[key], item, a->diagnostics);
  if (status != TRM_OK) {
    trm_cli_print_option_errors(a->diagnostics);
    return false;
  }
  if (list->count == TRM_MOST_ITEMS) {
    trm_cli_error("--%s: a list of more than %d", option, TRM_MOST_ITEMS);
    return false;
  }
  double number = key == TRM_LIST_STEP ? settings.step : settings.rtol;
  if (key < TRM_LIST_METHODS) {
    add_name(list, *name_of(&settings, key));
  } else if (number > 0) {
    add_number(list, number);
  } else {
    trm_cli_error("--%s: '%s' is not positive", option, item);
    return false;
  }
  return true;
}

/* Goes on after a mistake: all are told at once. */
static bool read_list(trm_cli_accuracy *a, int key, const char *option) {
  const char *text = trm_cli_value(a->arguments, option);
  bool good = true;
  while (text) {
    size_t length = strcspn(text, ",");
    char item[64];
    snprintf(item, sizeof item, "%.*s", (int)(length < 63 ? length : 63), text);
    if (length == 0) {
      trm_cli_error("--%s: an item of the list '%s' is empty; it takes values with commas between",
                    option, trm_cli_value(a->arguments, option));
      return false;
    }
    if (!read_item(a, key, option, item)) good = false;
    text = text[length] ? text + length + 1 : NULL;
  }
  return good;
}

bool trm_cli_read_lists(trm_cli_accuracy *a) {
  static const char *const others[TRM_LISTS] = {
      [TRM_LIST_INTEGRATOR] = "methods", [TRM_LIST_STEP] = "steps"};
  bool good = true;
  for (int key = 0; key < TRM_LISTS; key++) {
    const char *option = trm_cli_list_keys[key], *other = others[key];
    if (other && trm_cli_given(a->arguments, option) && trm_cli_given(a->arguments, other)) {
      trm_cli_error("--%s and --%s are the same list: give one of them", other, option);
      good = false;
      continue;
    }
    if (other && trm_cli_given(a->arguments, other)) option = other;
    if (!read_list(a, key, option)) good = false;
  }
  return good;
}

/* --- defaults --- */

/* euler and the orders between the others say little new, and make the figures harder to read */
static bool is_usual(const trm_method *method) {
  static const char *const others[] = {"auto", "euler", "ab2", "ab3", "ab5"};
  if (strcmp(method->key, "integrator") != 0) return false;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (strcmp(method->name, others[k]) == 0) return false;
  return true;
}

/* The nearest of 1, 2, 4, 5, 8 times a power of ten: steps that divide the interval look nice. */
static double nice_count(double count) {
  static const double factors[] = {1, 2, 4, 5, 8, 10};
  double power = pow(10, floor(log10(count))), best = power;
  for (int k = 0; k < 6; k++)
    if (fabs(log(factors[k] * power / count)) < fabs(log(best / count))) best = factors[k] * power;
  return best;
}

static void choose_steps(trm_cli_accuracy *a, double interval) {
  double step = a->settings.step > 0 ? a->settings.step : default_step;
  double whole = interval > 0 ? interval : a->settings.duration;
  double fewest = interval > 0 ? 1 : 10;
  double parts = nice_count(fmax(whole / (above * step), fewest));
  for (int k = 0; k < LADDER; k++) add_number(&a->lists[TRM_LIST_STEP], ldexp(whole / parts, -k));
}

void trm_cli_choose_lists(trm_cli_accuracy *a, double interval) {
  trm_cli_list *integrators = &a->lists[TRM_LIST_INTEGRATOR];
  if (integrators->count == 0) {
    for (int k = 0; k < trm_method_count(); k++)
      if (is_usual(trm_method_get(k))) add_name(integrators, trm_method_get(k)->name);
    add_name(integrators, a->settings.integrator);
  }
  for (int key = 0; key < TRM_LIST_METHODS; key++)
    if (a->lists[key].count == 0) add_name(&a->lists[key], *name_of(&a->settings, key));
  if (a->lists[TRM_LIST_STEP].count == 0) choose_steps(a, interval);
  if (a->lists[TRM_LIST_RTOL].count == 0)
    for (int k = 3; k <= 10; k++) add_number(&a->lists[TRM_LIST_RTOL], pow(10, -k));
}

/* --- the runs --- */

/* Rows at the times of the reference: all of them, or every other one and so on for larger steps.
 */
static double rows_for(double step, double interval) {
  return interval * fmax(1, floor(step / interval * (1 + 1e-9)));
}

static void add_points(trm_cli_accuracy *a, trm_settings settings) {
  bool variable = trm_settings_is_variable(&settings);
  const trm_cli_list *list = &a->lists[variable ? TRM_LIST_RTOL : TRM_LIST_STEP];
  double ratio = a->settings.atol / a->settings.rtol; /* both fall together */
  for (int k = 0; k < list->count; k++) {
    double number = list->numbers[k];
    settings.step = variable ? TRM_UNSET : number;
    settings.output_step = rows_for(variable ? 0 : number, a->exact.interval);
    if (variable) settings.rtol = number;
    if (variable && !trm_cli_given(a->arguments, "atol") && a->settings.rtol > 0)
      settings.atol = number * ratio;
    a->points[a->count++] = (trm_cli_point){
        .run = {.settings = settings, .difference = NAN, .icc = NAN, .difference_column = -1},
        .series = a->series_count,
        .variable = variable,
        .order = NAN};
  }
  a->series_count++;
}

static void combine(trm_cli_accuracy *a, int key, trm_settings settings) {
  if (key == TRM_LIST_METHODS) {
    add_points(a, settings);
    return;
  }
  for (int k = 0; k < a->lists[key].count; k++) {
    *name_of(&settings, key) = a->lists[key].names[k];
    combine(a, key + 1, settings);
  }
}

bool trm_cli_list_points(trm_cli_accuracy *a) {
  size_t most = (size_t)(a->lists[TRM_LIST_STEP].count + a->lists[TRM_LIST_RTOL].count);
  for (int key = 0; key < TRM_LIST_METHODS; key++) most *= (size_t)a->lists[key].count;
  a->points = calloc(most, sizeof *a->points);
  if (!a->points) return false;
  combine(a, 0, a->settings);
  return true;
}

void trm_cli_series_name(const trm_cli_accuracy *a, const trm_cli_point *point, char *name,
                         size_t size) {
  trm_settings settings = point->run.settings;
  size_t used = 0;
  name[0] = 0;
  for (int key = 0; key < TRM_LIST_METHODS && used < size; key++)
    if (key == 0 || a->lists[key].count > 1)
      used += (size_t)snprintf(name + used, size - used, "%s%s", key ? " " : "",
                               *name_of(&settings, key));
}

#define _POSIX_C_SOURCE 200809L
#include "instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_TOLERANCE 1e-6

static void inform(trm_fmu *f, bool error, const char *message) {
  if (f->say) f->say(f->context, error, message);
}

bool trm_fmu_complain(trm_fmu *f, const char *message) {
  inform(f, true, message);
  return false;
}

static void tell(trm_fmu *f) {
  char text[2048];
  for (int i = 0; i < trm_diagnostics_count(f->diagnostics); i++) {
    const trm_diagnostic *d = trm_diagnostics_get(f->diagnostics, i);
    trm_diagnostic_format(d, text, sizeof text);
    inform(f, d->severity == TRM_ERROR, text);
  }
  trm_diagnostics_clear(f->diagnostics);
}

bool trm_fmu_check(trm_fmu *f, trm_status status) {
  tell(f);
  return status == TRM_OK;
}

/* What was found at the state before holds no longer. */
static void forget(trm_fmu *f) {
  f->rates_known = false;
  trm_differential_destroy(f->differential);
  f->differential = NULL;
}

/* ---- made and unmade ---- */

static int digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/* "file:///a%20b", "file:/a b" or "/a b" as "/a b/". */
static char *read_location(const char *location) {
  if (strncmp(location, "file:", 5) == 0) {
    location += 5;
    if (strncmp(location, "//", 2) == 0) {
      const char *path = strchr(location + 2, '/'); /* behind the host */
      location = path ? path : location + 2;
    }
  }
  size_t used = 0;
  char *folder = malloc(strlen(location) + 2);
  for (; folder && *location; location++) {
    bool coded = *location == '%' && digit(location[1]) >= 0 && digit(location[2]) >= 0;
    folder[used++] = coded ? (char)(16 * digit(location[1]) + digit(location[2])) : *location;
    if (coded) location += 2;
  }
  if (!folder) return NULL;
  if (used == 0 || folder[used - 1] != '/') folder[used++] = '/';
  folder[used] = '\0';
  return folder;
}

static char *join(const char *a, const char *b) {
  char *text = malloc(strlen(a) + strlen(b) + 1);
  return text ? strcat(strcpy(text, a), b) : NULL;
}

/* The model's own overrides, then the parameters that the tool has chosen. */
static trm_model *load(trm_fmu *f, trm_status *status) {
  const trm_fmu_plan *plan = &f->plan;
  int count = 0;
  char **list = calloc((size_t)(plan->sets.count + plan->parameters.count) + 1, sizeof *list);
  char *path = join(f->folder, plan->model);
  bool good = list && path;
  for (int i = 0; good && i < plan->sets.count; i++)
    good = (list[count++] = strdup(plan->sets.names[i])) != NULL;
  for (int i = 0; good && i < plan->parameters.count; i++) {
    if (!f->chosen[i]) continue;
    size_t room = strlen(plan->parameters.names[i]) + 32;
    list[count] = malloc(room);
    if (list[count])
      snprintf(list[count], room, "%s=%.17g", plan->parameters.names[i], f->parameters[i]);
    good = list[count++] != NULL;
  }
  *status = TRM_NO_MEMORY;
  trm_model *model =
      good ? trm_model_load(path, (const char *const *)list, f->diagnostics, status) : NULL;
  for (int i = 0; list && i < count; i++) free(list[i]);
  free(list);
  free(path);
  return model;
}

static bool apply_settings(trm_fmu *f, trm_settings *settings) {
  for (int i = 0; i < f->plan.settings.count; i++) {
    char *key = strdup(f->plan.settings.names[i]), *equals = key ? strchr(key, '=') : NULL;
    if (equals) *equals = '\0';
    bool good = equals && trm_settings_set(settings, key, equals + 1, f->diagnostics) == TRM_OK;
    free(key);
    if (!good) return false;
  }
  settings->threads = 1; /* the tool has its own */
  if (f->tolerance > 0) {
    settings->rtol = f->tolerance;
    settings->atol = 1e-3 * f->tolerance;
  }
  return true;
}

/* Handles do not depend on parameters, but the simulation is another one. */
static bool find_handles(trm_fmu *f) {
  for (int i = 0; i < f->plan.inputs.count; i++) {
    f->input_handles[i] = trm_simulation_input(f->simulation, f->plan.inputs.names[i]);
    f->input_measures[i] =
        trm_simulation_find(f->simulation, f->plan.inputs.names[i], f->diagnostics);
    if (f->input_handles[i] < 0 || f->input_measures[i] < 0) return false;
  }
  for (int i = 0; i < f->plan.outputs.count; i++) {
    f->output_handles[i] =
        trm_simulation_find(f->simulation, f->plan.outputs.names[i], f->diagnostics);
    if (f->output_handles[i] < 0) return false;
  }
  return true;
}

/* What is zero stays where it was. */
static void note_sides(trm_fmu *f) {
  trm_simulation_watch(f->simulation, f->indicators);
  for (int i = 0; i < f->plan.events; i++)
    if (f->indicators[i] != 0) f->sides[i] = f->indicators[i] > 0 ? 1 : -1;
}

/* The simulation of these parameters at its start. */
static bool build(trm_fmu *f) {
  trm_status status;
  trm_model *model = load(f, &status);
  trm_simulation *simulation = NULL;
  if (model) {
    trm_settings settings = *trm_model_settings(model);
    if (apply_settings(f, &settings))
      simulation = trm_simulation_create(model, &settings, f->diagnostics, &status);
  }
  tell(f);
  if (!simulation) {
    trm_model_destroy(model);
    return trm_fmu_complain(f, "the model cannot be simulated with these parameters");
  }
  forget(f);
  trm_simulation_destroy(f->simulation);
  trm_model_destroy(f->model);
  f->model = model;
  f->simulation = simulation;
  f->stale = f->ahead = false;
  memset(f->sides, 0, (size_t)f->plan.events * sizeof(int));
  if (!find_handles(f)) return trm_fmu_check(f, TRM_FAILED);
  for (int i = 0; i < f->plan.parameters.count; i++)
    for (int k = 0; !f->chosen[i] && k < trm_model_parameter_count(model); k++)
      if (strcmp(trm_model_parameter_name(model, k), f->plan.parameters.names[i]) == 0)
        f->parameters[i] = trm_model_parameter_value(model, k);
  for (int i = 0; i < f->plan.inputs.count; i++)
    if (f->driven[i]) trm_simulation_set_input(f->simulation, f->input_handles[i], f->inputs[i]);
  trm_simulation_get_state(f->simulation, NULL, f->x);
  if (f->t == 0) return note_sides(f), true;
  status = trm_simulation_set_state(f->simulation, f->t, f->x, f->diagnostics);
  if (status == TRM_OK) note_sides(f);
  return trm_fmu_check(f, status);
}

static bool make_room(trm_fmu *f) {
  const trm_fmu_plan *p = &f->plan;
  size_t parameters = (size_t)p->parameters.count + 1, inputs = (size_t)p->inputs.count + 1;
  size_t states = (size_t)p->states + 1, events = (size_t)p->events + 1;
  f->parameters = calloc(parameters, sizeof(double));
  f->chosen = calloc(parameters, sizeof(bool));
  f->inputs = calloc(inputs, sizeof(double));
  f->driven = calloc(inputs, sizeof(bool));
  f->input_handles = calloc(inputs, sizeof(int));
  f->input_measures = calloc(inputs, sizeof(int));
  f->output_handles = calloc((size_t)p->outputs.count + 1, sizeof(int));
  f->x = calloc(states, sizeof(double));
  f->rates = calloc(states, sizeof(double));
  f->indicators = calloc(events, sizeof(double));
  f->sides = calloc(events, sizeof(int));
  return f->parameters && f->chosen && f->inputs && f->driven && f->input_handles &&
         f->input_measures && f->output_handles && f->x && f->rates && f->indicators && f->sides;
}

static bool open_resources(trm_fmu *f, const char *location, const char *token) {
  f->folder = location ? read_location(location) : NULL;
  char *path = f->folder ? join(f->folder, TRM_FMU_PLAN) : NULL;
  bool read = path && trm_fmu_plan_read(&f->plan, path);
  free(path);
  if (!read) return trm_fmu_complain(f, "the resources of the FMU cannot be read: " TRM_FMU_PLAN);
  if (!token || strcmp(token, f->plan.token) != 0)
    return trm_fmu_complain(f, "the token (guid) is that of another FMU");
  return make_room(f) || trm_fmu_complain(f, "out of memory");
}

trm_fmu *trm_fmu_create(const char *location, const char *token, bool exchange, trm_fmu_say say,
                        void *context) {
  trm_fmu *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->say = say;
  f->context = context;
  f->exchange = exchange;
  f->diagnostics = trm_diagnostics_create();
  if (f->diagnostics && open_resources(f, location, token) && build(f)) return f;
  trm_fmu_destroy(f);
  return NULL;
}

void trm_fmu_destroy(trm_fmu *f) {
  if (!f) return;
  trm_differential_destroy(f->differential);
  trm_simulation_destroy(f->simulation);
  trm_model_destroy(f->model);
  trm_diagnostics_destroy(f->diagnostics);
  trm_fmu_plan_free(&f->plan);
  void *rooms[] = {f->folder, f->parameters,    f->chosen,         f->inputs,
                   f->driven, f->input_handles, f->input_measures, f->output_handles,
                   f->x,      f->rates,         f->indicators,     f->sides};
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) free(rooms[i]);
  free(f);
}

bool trm_fmu_reset(trm_fmu *f) {
  memset(f->chosen, 0, (size_t)f->plan.parameters.count * sizeof(bool));
  memset(f->driven, 0, (size_t)f->plan.inputs.count * sizeof(bool));
  f->t = f->tolerance = 0;
  f->states_changed = f->initializing = f->running = false;
  return build(f);
}

bool trm_fmu_start(trm_fmu *f, double start, double tolerance) {
  f->stale = f->stale || start != f->t || tolerance != f->tolerance;
  f->t = start;
  f->tolerance = tolerance;
  return true;
}

bool trm_fmu_initialize(trm_fmu *f) {
  return !f->stale || build(f);
}

/* ---- variables ---- */

bool trm_fmu_catch_up(trm_fmu *f) {
  if (f->stale && !build(f)) return false;
  if (!f->ahead) return true;
  f->ahead = false;
  return trm_fmu_check(f, trm_simulation_set_state(f->simulation, f->t, f->x, f->diagnostics));
}

static bool find_rates(trm_fmu *f) {
  if (f->stale && !build(f)) return false;
  if (f->rates_known) return true;
  if (!f->exchange) trm_simulation_get_state(f->simulation, NULL, f->x);
  f->rates_known = trm_fmu_check(
      f, trm_simulation_derivatives(f->simulation, f->t, f->x, f->rates, f->diagnostics));
  return f->rates_known;
}

bool trm_fmu_get(trm_fmu *f, unsigned reference, double *value) {
  int i;
  switch (trm_fmu_find(&f->plan, reference, &i)) {
  case TRM_FMU_TIME: *value = f->t; return true;
  case TRM_FMU_PARAMETER: *value = f->parameters[i]; return true;
  case TRM_FMU_INPUT:
    if (!f->driven[i] && !trm_fmu_catch_up(f)) return false;
    *value = f->driven[i] ? f->inputs[i] : trm_simulation_get(f->simulation, f->input_measures[i]);
    return true;
  case TRM_FMU_OUTPUT:
    if (!trm_fmu_catch_up(f)) return false;
    *value = trm_simulation_get(f->simulation, f->output_handles[i]);
    return true;
  case TRM_FMU_STATE:
    if (f->stale && !build(f)) return false;
    if (!f->exchange) trm_simulation_get_state(f->simulation, NULL, f->x);
    *value = f->x[i];
    return true;
  case TRM_FMU_DERIVATIVE:
    if (!find_rates(f)) return false;
    *value = f->rates[i];
    return true;
  case TRM_FMU_INDICATOR:
    if (!trm_fmu_catch_up(f)) return false;
    trm_simulation_watch(f->simulation, f->indicators);
    *value = f->indicators[i];
    return true;
  default: return trm_fmu_complain(f, "there is no variable of this value reference");
  }
}

bool trm_fmu_set(trm_fmu *f, unsigned reference, double value) {
  int i;
  if (!isfinite(value)) return trm_fmu_complain(f, "a value to be set is not finite");
  switch (trm_fmu_find(&f->plan, reference, &i)) {
  case TRM_FMU_PARAMETER:
    if (f->chosen[i] && f->parameters[i] == value) return true;
    if (f->running && f->parameters[i] != value)
      return trm_fmu_complain(f, "a parameter is fixed: it is set before the start");
    f->stale = f->stale || f->parameters[i] != value;
    f->parameters[i] = value;
    f->chosen[i] = true;
    return true;
  case TRM_FMU_INPUT:
    f->inputs[i] = value;
    f->driven[i] = true;
    forget(f);
    if (!f->stale) trm_simulation_set_input(f->simulation, f->input_handles[i], value);
    return true;
  case TRM_FMU_STATE:
    f->x[i] = value;
    f->ahead = true;
    forget(f);
    return true;
  case TRM_FMU_KINDS: return trm_fmu_complain(f, "there is no variable of this value reference");
  default: return trm_fmu_complain(f, "this variable cannot be set");
  }
}

/* ---- co-simulation ---- */

bool trm_fmu_advance(trm_fmu *f, double until, bool *stopped, bool *due) {
  if (!trm_fmu_catch_up(f)) return false;
  forget(f);
  trm_status status = due ? trm_simulation_approach(f->simulation, until, due, f->diagnostics)
                          : trm_simulation_advance(f->simulation, until, f->diagnostics);
  f->t = trm_simulation_time(f->simulation);
  *stopped = trm_simulation_stopped(f->simulation) != NULL;
  return trm_fmu_check(f, status);
}

bool trm_fmu_fire(trm_fmu *f, bool *stopped) {
  if (!trm_fmu_catch_up(f)) return false;
  forget(f);
  bool good = trm_fmu_check(f, trm_simulation_fire(f->simulation, f->diagnostics));
  *stopped = trm_simulation_stopped(f->simulation) != NULL;
  return good;
}

/* ---- model exchange ---- */

void trm_fmu_set_time(trm_fmu *f, double t) {
  if (t == f->t) return;
  f->t = t;
  f->ahead = true;
  forget(f);
}

void trm_fmu_set_states(trm_fmu *f, const double *x) {
  memcpy(f->x, x, (size_t)f->plan.states * sizeof(double));
  f->ahead = true;
  forget(f);
}

bool trm_fmu_get_rates(trm_fmu *f, double *rates) {
  if (!find_rates(f)) return false;
  memcpy(rates, f->rates, (size_t)f->plan.states * sizeof(double));
  return true;
}

bool trm_fmu_get_indicators(trm_fmu *f, double *values) {
  if (!trm_fmu_catch_up(f)) return false;
  trm_simulation_watch(f->simulation, values);
  return true;
}

/* What the tool's method has left of the constraints. A projection is an event to the tool, and its
 * method starts afresh: only where it matters at its own tolerance. */
bool trm_fmu_complete(trm_fmu *f, bool *event) {
  *event = false;
  if (!trm_fmu_catch_up(f)) return false;
  double tolerance = f->tolerance > 0 ? f->tolerance : USUAL_TOLERANCE;
  double largest = 0, moved = 0;
  trm_simulation_get_state(f->simulation, NULL, f->rates);
  forget(f);
  for (int i = 0; i < f->plan.states; i++) {
    largest = fmax(largest, fabs(f->x[i]));
    moved = fmax(moved, fabs(f->rates[i] - f->x[i]));
  }
  if (!(moved > tolerance * largest)) return true;
  memcpy(f->x, f->rates, (size_t)f->plan.states * sizeof(double));
  f->states_changed = *event = true;
  return true;
}

/* A tool goes into event mode where it has found a zero: one to the last bit counts. */
static bool has_passed(trm_crossing direction, int before, double value) {
  if (before == 0 || before * value > 0) return false;
  return direction == TRM_BOTH || (direction == TRM_RISING) == (before < 0);
}

bool trm_fmu_handle_events(trm_fmu *f, bool *changed, bool *stopped) {
  *stopped = false;
  if (!trm_fmu_catch_up(f)) return false;
  trm_simulation_watch(f->simulation, f->indicators);
  bool any = false;
  for (int i = 0; i < f->plan.events; i++) {
    if (!has_passed(trm_model_event_direction(f->model, i), f->sides[i], f->indicators[i]))
      continue;
    any = true;
    f->sides[i] = -f->sides[i];
    *stopped = *stopped || trm_model_event_stops(f->model, i);
    if (!trm_fmu_check(f, trm_simulation_pass(f->simulation, i, f->diagnostics))) return false;
  }
  if (any) {
    trm_simulation_get_state(f->simulation, NULL, f->x);
    forget(f);
  }
  note_sides(f);
  *changed = any || f->states_changed;
  f->states_changed = false;
  return true;
}

/* ---- saved and restored ---- */

typedef struct saved {
  double t, tolerance;
  size_t simulation; /* bytes */
  bool ahead, states_changed;
} saved;

static size_t values_size(const trm_fmu *f) {
  const trm_fmu_plan *p = &f->plan;
  return (size_t)p->parameters.count * (sizeof(double) + sizeof(bool)) +
         (size_t)p->inputs.count * (sizeof(double) + sizeof(bool)) +
         (size_t)p->states * sizeof(double) + (size_t)p->events * sizeof(int);
}

/* Copies all values to bytes, or from them. */
static char *pass_values(trm_fmu *f, char *at, bool out) {
  const trm_fmu_plan *p = &f->plan;
  const struct {
    void *values;
    size_t size;
  } parts[] = {{f->parameters, (size_t)p->parameters.count * sizeof(double)},
               {f->chosen, (size_t)p->parameters.count * sizeof(bool)},
               {f->inputs, (size_t)p->inputs.count * sizeof(double)},
               {f->driven, (size_t)p->inputs.count * sizeof(bool)},
               {f->x, (size_t)p->states * sizeof(double)},
               {f->sides, (size_t)p->events * sizeof(int)}};
  for (int i = 0; i < 6; at += parts[i++].size)
    out ? memcpy(at, parts[i].values, parts[i].size) : memcpy(parts[i].values, at, parts[i].size);
  return at;
}

size_t trm_fmu_save(trm_fmu *f, void *bytes, size_t room) {
  if (f->stale && !build(f)) return 0;
  saved head = {f->t, f->tolerance, trm_simulation_save(f->simulation, NULL, 0), f->ahead,
                f->states_changed};
  size_t size = sizeof head + values_size(f) + head.simulation;
  if (head.simulation == 0) return 0;
  if (!bytes || room < size) return size;
  memcpy(bytes, &head, sizeof head);
  char *at = pass_values(f, (char *)bytes + sizeof head, true);
  trm_simulation_save(f->simulation, at, head.simulation);
  return size;
}

bool trm_fmu_restore(trm_fmu *f, const void *bytes, size_t size) {
  saved head;
  if (size < sizeof head) return trm_fmu_complain(f, "these bytes are no state of this FMU");
  memcpy(&head, bytes, sizeof head);
  if (size != sizeof head + values_size(f) + head.simulation)
    return trm_fmu_complain(f, "these bytes are no state of this FMU");
  size_t values = (size_t)f->plan.parameters.count * sizeof(double);
  const char *from = (const char *)bytes + sizeof head;
  bool other = memcmp(f->parameters, from, values) != 0 || head.tolerance != f->tolerance;
  pass_values(f, (char *)from, false);
  f->tolerance = head.tolerance;
  f->t = 0;
  if ((other || f->stale) && !build(f)) return false;
  const char *at = pass_values(f, (char *)from, false); /* building has set some */
  f->t = head.t;
  f->ahead = head.ahead;
  f->states_changed = head.states_changed;
  forget(f);
  return trm_fmu_check(f,
                       trm_simulation_restore(f->simulation, at, head.simulation, f->diagnostics));
}

static trm_fmu_state *make_room_for(size_t size, void **state) {
  trm_fmu_state *made = realloc(*state, sizeof *made + size);
  if (!made) return NULL;
  made->size = size;
  return *state = made;
}

bool trm_fmu_state_take(trm_fmu *f, void **state) {
  size_t size = trm_fmu_save(f, NULL, 0);
  trm_fmu_state *made = size ? make_room_for(size, state) : NULL;
  return made && trm_fmu_save(f, made->bytes, size) == size;
}

bool trm_fmu_state_return(trm_fmu *f, const void *state) {
  const trm_fmu_state *kept = state;
  return kept && trm_fmu_restore(f, kept->bytes, kept->size);
}

bool trm_fmu_state_write(const void *state, void *bytes, size_t room) {
  const trm_fmu_state *kept = state;
  if (room < kept->size) return false;
  memcpy(bytes, kept->bytes, kept->size);
  return true;
}

bool trm_fmu_state_read(const void *bytes, size_t size, void **state) {
  trm_fmu_state *made = make_room_for(size, state);
  if (made) memcpy(made->bytes, bytes, size);
  return made != NULL;
}

/* Settings: the keys of `simulate:` and the methods they choose from. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/sized.h"
#include "base/synonyms.h"
#include "base/text.h"
#include "model/build.h"

static const struct key {
  trm_key key;
  size_t offset; /* of its field */
  /* a name of the table below, any text, a number ≥ 0, > 0 or from 0 to 1, a number of threads */
  enum { METHOD, TEXT, NUMBER, POSITIVE, SHARE, COUNT } kind;
  bool optional; /* may be TRM_UNSET */
} keys[] = {
#define FIELD(name) offsetof(trm_settings, name)
    {{"coordinates", "C", "formulation of the bodies' motion"}, FIELD(coordinates), METHOD, false},
    {{"solver", "S", "how accelerations and multipliers are found"}, FIELD(solver), METHOD, false},
    {{"stabilization", "S", "how the state is kept on the constraints"},
     FIELD(stabilization),
     METHOD,
     false},
    {{"weighting", "W", "what direct stabilization keeps smallest"},
     FIELD(weighting),
     METHOD,
     false},
    {{"energy", "E", "whether the energy balance is kept, too"}, FIELD(energy), METHOD, false},
    {{"conserve", "M", "the conserved measure to keep in place of the energy"},
     FIELD(conserve),
     TEXT,
     false},
    {{"integrator", "I", "time integration method"}, FIELD(integrator), METHOD, false},
    {{"stepping", "S", "whether implicit methods choose their steps by rtol and atol"},
     FIELD(stepping),
     METHOD,
     false},
    {{"linear", "L", "how matrices are stored and factored"}, FIELD(linear), METHOD, false},
    {{"constraint-inertia", "B", "of three-field: whether constraints have their own inertia"},
     FIELD(constraint_inertia),
     METHOD,
     false},
    {{"spectral-radius", "R", "of generalized-alpha: what is left of the fastest motion, 0 to 1"},
     FIELD(spectral_radius),
     SHARE,
     false},
    {{"duration", "T", "time to simulate"}, FIELD(duration), NUMBER, false},
    {{"step", "H",
      "time step, reduced to one that divides output-step and duration; variable: the largest"},
     FIELD(step),
     POSITIVE,
     true},
    {{"output-step", "H", "time between rows; 0: every step, at most 1000 rows"},
     FIELD(output_step),
     NUMBER,
     false},
    {{"tolerance", "E", "on the 2-norm of the position constraints"},
     FIELD(tolerance),
     POSITIVE,
     false},
    {{"alpha", "A", "of baumgarte: weight of the velocity violation; default from the motion"},
     FIELD(alpha),
     NUMBER,
     true},
    {{"beta", "B", "of baumgarte: weight of the position violation; default from the motion"},
     FIELD(beta),
     NUMBER,
     true},
    {{"rtol", "E", "relative local error of variable-step methods; default 1e-6, auto: 1e-10"},
     FIELD(rtol),
     NUMBER,
     true},
    {{"atol", "E", "absolute local error of variable-step methods; default 1e-9, auto: 1e-13"},
     FIELD(atol),
     POSITIVE,
     true},
    {{"threads", "N", "that work on one run; default: all cores for large models, else one"},
     FIELD(threads),
     COUNT,
     true},
#undef FIELD
};
enum { KEYS = sizeof keys / sizeof *keys, MOST_THREADS = 256 };

static const trm_method methods[] = {
    {"coordinates", "auto",
     "the default: relative for trees in space and explicit integrators, natural else", false,
     false},
    {"coordinates", "natural", "no trigonometry, constant mass matrix, quadratic constraints",
     false, false},
    {"coordinates", "angle",
     "planar: fewest coordinates a body; small models, comparison with textbooks", true, false},
    {"coordinates", "euler-parameters",
     "two (space: four) Euler parameters a body; singular mass matrix, as published", false, false},
    {"coordinates", "cartesian",
     "planar: one point and one unit vector a body; no trigonometry, four coordinates", true,
     false},
    {"coordinates", "relative", "space: those of the joints along a tree; the fastest for robots",
     false, true},
    {"solver", "auto", "the default: udwadia-kalaba, the fastest, chains in linear time", false,
     false},
    {"solver", "udwadia-kalaba",
     "inverts the mass matrix (made definite where it is singular), then the constraints", false,
     false},
    {"solver", "udwadia-kalaba-general",
     "full matrices, small models; takes singular masses as they are, adding constraints to them",
     false, false},
    {"solver", "augmented",
     "motion and constraints in one system, as in textbooks; takes singular mass matrices", false,
     false},
    {"stabilization", "direct", "the default: every step ends on the constraints to the tolerance",
     false, false},
    {"stabilization", "partition",
     "Newton-Raphson on well-chosen dependent coordinates; weaker at singular positions", false,
     false},
    {"stabilization", "embedded",
     "Braun-Goldfarb: a step takes away the violation of the last one; Runge-Kutta, large steps",
     false, false},
    {"stabilization", "baumgarte",
     "feedback of the violations; cheap, never exact, needs coefficients: for comparison", false,
     false},
    {"stabilization", "none", "to see how constraints drift; never for results", false, false},
    {"weighting", "mass", "the default: the smallest mass-weighted change, independent of units",
     false, false},
    {"weighting", "none", "the smallest change of the coordinates, as published", false, false},
    {"energy", "free", "the default: the energy error tells how good the run is", false, false},
    {"energy", "conserve",
     "long runs with large steps: velocities are scaled along the motion to the right energy",
     false, false},
    {"integrator", "auto",
     "the default: dop853 at tight tolerances, radau5 while it is stiff; rk4 where a step is given",
     false, false},
    {"integrator", "euler", "first order: teaching and debugging only", false, false},
    {"integrator", "rk4", "robust, fourth order, four evaluations a step", false, false},
    {"integrator", "rk6", "smooth models at tight accuracy and large steps", false, false},
    {"integrator", "ab2", "one evaluation a step, second order: rough forces", false, false},
    {"integrator", "ab3", "one evaluation a step, third order", false, false},
    {"integrator", "ab4", "one evaluation a step, fourth order: cheap long runs", false, false},
    {"integrator", "ab5", "one evaluation a step, fifth order", false, false},
    {"integrator", "ab6", "one evaluation a step, sixth order: smooth motion with small steps",
     false, false},
    {"integrator", "dopri5",
     "fifth order, chooses its steps by rtol and atol, stops at jumps of forces", false, false},
    {"integrator", "dop853",
     "eighth order, chooses its steps like dopri5: smooth motion at tight tolerances", false,
     false},
    {"integrator", "trapezoidal",
     "implicit, second order, with projections: the IFToMM reference method; loses energy", false,
     false},
    {"integrator", "generalized-alpha",
     "implicit, second order, damps what the step cannot follow: stiff systems", false, false},
    {"integrator", "three-field",
     "implicit, second order, keeps the energy: long runs with large steps, singular positions",
     false, false},
    {"integrator", "radau5",
     "implicit, fifth order, chooses its steps, stops at jumps: stiff systems, smooth motion",
     false, false},
    {"integrator", "adams",
     "CVODE: order 1 to 12, chooses order and steps; smooth motion at tight tolerances", false,
     false},
    {"integrator", "bdf",
     "CVODE: implicit, order 1 to 5, chooses order and steps; stiff springs and dampers", false,
     false},
    {"integrator", "ida",
     "IDA: implicit, motion and constraints in one system, chooses order and steps; stiff systems",
     false, false},
    {"stepping", "auto",
     "the default: dopri5, dop853, radau5, adams, bdf and ida choose their steps, the others take "
     "`step`",
     false, false},
    {"stepping", "variable",
     "trapezoidal, generalized-alpha, three-field: steps by rtol and atol, at most `step`", false,
     false},
    {"stepping", "fixed", "radau5: every step is `step`", false, false},
    {"linear", "auto", "the default: dense where that is faster, sparse for large models", false,
     false},
    {"linear", "dense", "full matrices, ranks decided over all rows: for comparison", false, false},
    {"linear", "sparse", "only what is not zero; ranks are decided where they are lost", false,
     false},
    {"constraint-inertia", "true", "the default: as published", false, false},
    {"constraint-inertia", "false",
     "to see what it is for: steps shrink until the run stops; never for results", false, false},
};
enum { METHODS = sizeof methods / sizeof *methods };

int trm_key_count(void) {
  return KEYS;
}

const trm_key *trm_key_get(int index) {
  return index >= 0 && index < KEYS ? &keys[index].key : NULL;
}

int trm_method_count(void) {
  return METHODS;
}

const trm_method *trm_method_get(int index) {
  return index >= 0 && index < METHODS ? &methods[index] : NULL;
}

static trm_settings defaults(void) {
  return (trm_settings){.size = sizeof(trm_settings),
                        .coordinates = "auto",
                        .solver = "auto",
                        .stabilization = "direct",
                        .weighting = "mass",
                        .energy = "free",
                        .integrator = "auto",
                        .stepping = "auto",
                        .linear = "auto",
                        .constraint_inertia = "true",
                        .spectral_radius = 0.8,
                        .duration = 1,
                        .step = TRM_UNSET,
                        .output_step = 0,
                        .tolerance = 1e-10,
                        .alpha = TRM_UNSET,
                        .beta = TRM_UNSET,
                        .rtol = TRM_UNSET,
                        .atol = TRM_UNSET,
                        .threads = TRM_UNSET};
}

void trm_settings_init(trm_settings *settings, size_t size) {
  const trm_settings own = defaults();
  trm_sized_give(settings, size, &own, sizeof own);
}

trm_settings trm_settings_take(const trm_settings *settings) {
  trm_settings own = defaults();
  if (!trm_sized_take(&own, sizeof own, settings)) own.size = 0;
  return own;
}

const char *trm_method_name(const char *key, const char *name) {
  for (int i = 0; i < METHODS && name; i++)
    if (strcmp(methods[i].key, key) == 0 && strcmp(methods[i].name, name) == 0)
      return methods[i].name;
  return NULL;
}

bool trm_settings_takes_text(const char *name) {
  for (int i = 0; i < KEYS; i++)
    if (strcmp(keys[i].key.name, name) == 0) return keys[i].kind <= TEXT;
  return false;
}

static void *field_of(trm_settings *settings, const struct key *key) {
  return (char *)settings + key->offset;
}

static const char *path_of(const struct key *key, char *path, size_t size) {
  snprintf(path, size, "simulate/%s", key->key.name);
  return path;
}

static void report_method(trm_diagnostics *diagnostics, const struct key *key, const char *name) {
  const char *choices[METHODS];
  char path[64], list[256];
  int count = 0;
  size_t used = 0;
  for (int i = 0; i < METHODS; i++)
    if (strcmp(methods[i].key, key->key.name) == 0) choices[count++] = methods[i].name;
  for (int i = 0; i < count && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", choices[i]);
  const char *best = name ? trm_nearest(name, choices, count) : NULL;
  trm_report_path(diagnostics, TRM_ERROR, path_of(key, path, sizeof path), 0,
                  "unknown %s '%.60s'%s%s%s one of %s", key->key.name, name ? name : "",
                  best ? ", did you mean '" : "", best ? best : "",
                  best ? "'? It is" : "; it must be", list);
}

/* A program built before the key came has no room for it. */
static bool has_room(const trm_settings *settings, const struct key *key,
                     trm_diagnostics *diagnostics) {
  char path[64];
  if (key->offset < settings->size) return true;
  trm_report_path(diagnostics, TRM_ERROR, path_of(key, path, sizeof path), 0,
                  "these settings have no %s: begin with trm_default_settings()", key->key.name);
  return false;
}

static bool set_text(trm_settings *settings, const struct key *key, const char *text,
                     trm_diagnostics *diagnostics) {
  char path[64];
  size_t size = sizeof settings->conserve, length = strlen(text);
  if (length >= size)
    trm_report_path(diagnostics, TRM_ERROR, path_of(key, path, sizeof path), 0,
                    "%s is %zu characters long, at most %zu are possible", key->key.name, length,
                    size - 1);
  else
    memcpy(field_of(settings, key), text, length + 1);
  return length < size;
}

static trm_symbol no_names(void *context, const char *name, size_t length) {
  (void)context, (void)name, (void)length;
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
}

static trm_status read_number(const struct key *key, const char *text, double *number,
                              trm_diagnostics *diagnostics) {
  trm_expression_error error = {0};
  char path[64];
  trm_expression *expression = trm_expression_parse(text, no_names, NULL, NULL, &error);
  if (!expression) {
    trm_report_path(diagnostics, TRM_ERROR, path_of(key, path, sizeof path), error.offset, "%s: %s",
                    key->key.name, error.message);
    return error.no_memory ? TRM_NO_MEMORY : TRM_BAD_USAGE;
  }
  const double nothing = 0;
  *number = trm_expression_value(expression, &nothing);
  trm_expression_destroy(expression);
  return TRM_OK;
}

static const struct key *find_key(const char *name, trm_diagnostics *diagnostics) {
  const char *names[KEYS];
  char path[128];
  for (int i = 0; i < KEYS; i++) {
    if (strcmp(keys[i].key.name, name) == 0) return &keys[i];
    names[i] = keys[i].key.name;
  }
  const char *best = trm_meant_key(name, names, KEYS);
  snprintf(path, sizeof path, "simulate/%.100s", name);
  trm_report_path(diagnostics, TRM_ERROR, path, 0, "unknown key '%.60s'%s%s%s", name,
                  best ? ", did you mean '" : "", best ? best : "", best ? "'?" : "");
  return NULL;
}

/* Whether a number is in its key's range, reported where it is not. */
static bool check_number(const struct key *key, double number, trm_diagnostics *diagnostics) {
  char path[64];
  const char *name = key->key.name;
  path_of(key, path, sizeof path);
  if (!isfinite(number))
    trm_report_path(diagnostics, TRM_ERROR, path, 0, "%s is NaN or infinite", name);
  else if (number < 0 && key->kind == NUMBER)
    trm_report_path(diagnostics, TRM_ERROR, path, 0, "%s is %g, it must not be negative", name,
                    number);
  else if (number <= 0 && key->kind == POSITIVE)
    trm_report_path(diagnostics, TRM_ERROR, path, 0, "%s is %g, it must be positive", name, number);
  else if ((number < 0 || number > 1) && key->kind == SHARE)
    trm_report_path(diagnostics, TRM_ERROR, path, 0, "%s is %g, it must be from 0 to 1", name,
                    number);
  else if (key->kind == COUNT && (number < 1 || number > MOST_THREADS || number != floor(number)))
    trm_report_path(diagnostics, TRM_ERROR, path, 0,
                    "%s is %g, it must be a whole number from 1 to %d", name, number, MOST_THREADS);
  else
    return true;
  return false;
}

trm_status trm_settings_set(trm_settings *settings, const char *name, const char *value,
                            trm_diagnostics *diagnostics) {
  const struct key *key = find_key(name, diagnostics);
  if (!key || !has_room(settings, key, diagnostics)) return TRM_BAD_USAGE;
  if (key->kind == METHOD) {
    const char *method = trm_method_name(name, value);
    if (method)
      *(const char **)field_of(settings, key) = method;
    else
      report_method(diagnostics, key, value);
    return method ? TRM_OK : TRM_BAD_USAGE;
  }
  if (key->kind == TEXT)
    return set_text(settings, key, value, diagnostics) ? TRM_OK : TRM_BAD_USAGE;
  double number;
  trm_status status = read_number(key, value, &number, diagnostics);
  if (status != TRM_OK) return status;
  if (!check_number(key, number, diagnostics)) return TRM_BAD_USAGE;
  *(double *)field_of(settings, key) = number;
  return TRM_OK;
}

static bool check_key(const trm_settings *settings, const struct key *key,
                      trm_diagnostics *diagnostics) {
  const void *field = (const char *)settings + key->offset;
  if (key->kind == METHOD) {
    const char *name = *(const char *const *)field;
    if (trm_method_name(key->key.name, name)) return true;
    report_method(diagnostics, key, name);
    return false;
  }
  if (key->kind == TEXT) return true;
  double number = *(const double *)field;
  return (key->optional && number == TRM_UNSET) || check_number(key, number, diagnostics);
}

trm_status trm_settings_check(const trm_settings *given, trm_diagnostics *diagnostics) {
  trm_settings own = trm_default_settings(), *settings = &own;
  const double most_steps = 9007199254740992; /* 2^53: beyond it time no longer counts steps */
  const double most_rows = 1e9, finest = 1e-16;
  bool good =
      trm_sized_take_or_report(&own, sizeof own, given, "trm_default_settings", diagnostics);
  for (int i = 0; i < KEYS; i++) good &= check_key(settings, &keys[i], diagnostics);
  double step = trm_settings_step(settings), rows = settings->duration / settings->output_step;
  if (good && settings->duration / step > most_steps) {
    trm_report_path(diagnostics, TRM_ERROR, "simulate/step", 0,
                    "step is %g, too small for a duration of %g", step, settings->duration);
    good = false;
  }
  if (good && settings->output_step > 0 && rows > most_rows) {
    trm_report_path(
        diagnostics, TRM_ERROR, "simulate/output-step", 0,
        "output-step is %g, too small for a duration of %g: %.3g rows, at most %.0f are "
        "possible",
        settings->output_step, settings->duration, rows, most_rows);
    good = false;
  }
  trm_settings resolved = trm_settings_resolve(settings);
  if (good && fmax(resolved.rtol, resolved.atol) < finest) {
    trm_report_path(diagnostics, TRM_ERROR, "simulate/rtol", 0,
                    "rtol is %g and atol is %g, which is beyond double precision: one of them must "
                    "be %g at least",
                    resolved.rtol, resolved.atol, finest);
    good = false;
  }
  return good ? TRM_OK : TRM_BAD_USAGE;
}

/* Whether a run has the value of the model's file. */
static bool is_own(const trm_settings *own, const trm_settings *settings, const struct key *key) {
  const char *a = (const char *)own + key->offset, *b = (const char *)settings + key->offset;
  if (key->kind == METHOD) return strcmp(*(const char *const *)a, *(const char *const *)b) == 0;
  return key->kind == TEXT ? strcmp(a, b) == 0 : *(const double *)a == *(const double *)b;
}

trm_status trm_refuse_setting(const trm_model *model, const trm_settings *settings, const char *key,
                              const char *other, trm_diagnostics *diagnostics, const char *format,
                              ...) {
  const trm_settings own = trm_settings_resolve(&model->settings);
  trm_place place = {0};
  bool from_file = model->setting_origins != NULL;
  for (int i = 0; from_file && i < KEYS; i++) {
    const char *name = keys[i].key.name;
    bool meant = strcmp(name, key) == 0;
    if (meant || (other && strcmp(name, other) == 0)) {
      from_file = is_own(&own, settings, &keys[i]);
      if (meant || !place.line) place = trm_origin_place(model, model->setting_origins[i]);
    }
  }
  if (!from_file || !place.line) place = (trm_place){0};
  char reason[400];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  trm_report_place(diagnostics, TRM_ERROR, place, "%s", reason);
  return place.line ? TRM_BAD_MODEL : TRM_BAD_USAGE;
}

double trm_settings_step(const trm_settings *settings) {
  return settings->step == TRM_UNSET ? 1e-3 : settings->step;
}

/* Why these: docs/which-method.md. */
void trm_settings_resolve_into(const trm_settings *settings, trm_settings *resolved, size_t size) {
  trm_settings s = trm_settings_take(settings);
  bool chosen = strcmp(s.integrator, "auto") == 0;
  bool free = s.step == TRM_UNSET && strcmp(s.stepping, "fixed") != 0;
  if (chosen) s.integrator = trm_method_name("integrator", free ? "dop853" : "rk4");
  if (s.atol == TRM_UNSET) s.atol = chosen && s.rtol == TRM_UNSET ? 1e-13 : 1e-9;
  if (s.rtol == TRM_UNSET) s.rtol = chosen ? 1e-10 : 1e-6;
  trm_sized_give(resolved, size, &s, sizeof s);
}

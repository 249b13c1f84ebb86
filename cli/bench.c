/* trammel bench: how fast this machine is, per model, coordinates and solver. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown compiler"
#endif

typedef struct bench {
  const trm_cli_arguments *arguments;
  trm_diagnostics *diagnostics;
  double seconds; /* at least, for each combination */
  bool as_json;
  trm_cli_json json;
  int status;  /* of the worst model so far */
  bool system; /* the model is one of its own: it has no coordinates to choose */
} bench;

typedef struct speed {
  double ns_per_step, real_time_factor; /* of the fastest run */
  double relative;                      /* time over that of natural coordinates with this solver */
  long steps;
  trm_inspection size;
} speed;

typedef struct deadline {
  trm_cli_ticker ticker;
  double end;
} deadline;

/* Ends a run that alone takes longer than all the time there is. */
static bool before_deadline(void *context, double time, double fraction) {
  deadline *limit = context;
  double now;
  (void)time;
  (void)fraction;
  return !trm_cli_tick(&limit->ticker, &now) || now < limit->end;
}

static bool run_once(bench *b, const trm_model *model, const trm_settings *settings,
                     deadline *limit, speed *best) {
  trm_simulation *simulation = trm_simulation_create(model, settings, b->diagnostics, NULL);
  if (!simulation) return false;
  limit->ticker.last = trm_cli_seconds();
  trm_status status = trm_simulation_run(simulation, NULL, before_deadline, limit, b->diagnostics);
  const trm_summary *summary = trm_simulation_summary(simulation);
  bool good = status == TRM_OK || status == TRM_INTERRUPTED;
  if (good && summary->steps > 0) {
    double ns = 1e9 * summary->wall_seconds / (double)summary->steps;
    /* the few steps of a run cut short say little, unless there is nothing else */
    if (best->steps == 0 || (status == TRM_OK && ns < best->ns_per_step))
      *best = (speed){.ns_per_step = ns,
                      .real_time_factor = summary->real_time_factor,
                      .steps = summary->steps,
                      .size = trm_simulation_inspect(simulation)};
  }
  trm_simulation_destroy(simulation);
  return good;
}

static const char *first_error(const bench *b) {
  for (int k = 0; k < trm_diagnostics_count(b->diagnostics); k++) {
    const trm_diagnostic *diagnostic = trm_diagnostics_get(b->diagnostics, k);
    if (diagnostic->severity == TRM_ERROR) return diagnostic->message;
  }
  return "no step was made";
}

static const char *coordinates_of(const bench *b, const trm_settings *settings) {
  return b->system ? "own" : settings->coordinates;
}

/* NaN where there are no bodies. */
static double ns_per_body(const speed *s) {
  return s->size.bodies > 0 ? s->ns_per_step / s->size.bodies : NAN;
}

static void print_figures(const speed *s) {
  char per_body[32] = "-";
  if (s->size.bodies > 0) snprintf(per_body, sizeof per_body, "%.0f", ns_per_body(s));
  printf(" %7d %11d %11d %10.0f %11.0f %11s %10.4g %9.1f %9.2f\n", s->size.bodies,
         s->size.coordinates, s->size.constraints, 1e9 / s->ns_per_step, s->ns_per_step, per_body,
         s->real_time_factor, s->size.memory / 1e3, s->relative);
}

static void print_row(const bench *b, const char *model, const trm_settings *settings,
                      const speed *best, const char *error) {
  printf("%-28s %-17s %-23s", model, settings ? coordinates_of(b, settings) : "-",
         settings ? settings->solver : "-");
  if (error)
    printf(" %s\n", error);
  else
    print_figures(best);
}

static void print_json(bench *b, const char *model, const trm_settings *settings, const speed *best,
                       const char *error) {
  trm_cli_json *json = &b->json;
  trm_cli_json_open(json, NULL, '{');
  trm_cli_json_string(json, "model", model);
  trm_cli_json_string(json, "coordinates", settings && !b->system ? settings->coordinates : NULL);
  trm_cli_json_string(json, "solver", settings ? settings->solver : NULL);
  if (error) {
    trm_cli_json_string(json, "error", error);
  } else {
    trm_cli_json_number(json, "bodies", best->size.bodies);
    trm_cli_json_number(json, "generalized_coordinates", best->size.coordinates);
    trm_cli_json_number(json, "constraints", best->size.constraints);
    trm_cli_json_number(json, "steps_per_second", 1e9 / best->ns_per_step);
    trm_cli_json_number(json, "ns_per_step", best->ns_per_step);
    trm_cli_json_number(json, "ns_per_body_and_step", ns_per_body(best));
    trm_cli_json_number(json, "real_time_factor", best->real_time_factor);
    trm_cli_json_number(json, "memory_bytes", best->size.memory);
    trm_cli_json_number(json, "relative_to_natural", best->relative > 0 ? best->relative : NAN);
  }
  trm_cli_json_close(json, '}');
}

static void tell(bench *b, const char *model, const trm_settings *settings, const speed *best,
                 const char *error) {
  if (b->as_json)
    print_json(b, model, settings, best, error);
  else
    print_row(b, model, settings, best, error);
  trm_cli_flush();
}

/* *natural: ns a step in natural coordinates with this solver, set by their own row. */
static void measure(bench *b, const char *name, const trm_model *model,
                    const trm_settings *settings, double *natural) {
  speed best = {0};
  double start = trm_cli_seconds();
  deadline limit = {.end = start + b->seconds};
  bool good = true;
  trm_diagnostics_clear(b->diagnostics);
  while (good && (best.steps == 0 || trm_cli_seconds() < limit.end)) {
    good = run_once(b, model, settings, &limit, &best);
    if (best.steps == 0) break;
  }
  good = good && best.steps > 0;
  if (good && strcmp(settings->coordinates, "natural") == 0) *natural = best.ns_per_step;
  best.relative = *natural > 0 ? best.ns_per_step / *natural : 0;
  if (!good && b->status == 0) b->status = 1;
  tell(b, name, settings, &best, good ? NULL : first_error(b));
}

/* All methods of a key, or the one the user asked for; "auto" only picks one of the others. */
static bool wanted(const bench *b, const trm_method *method, const char *key) {
  const char *given = trm_cli_value(b->arguments, key);
  if (strcmp(method->key, key) != 0) return false;
  return given ? strcmp(method->name, given) == 0 : strcmp(method->name, "auto") != 0;
}

static void measure_all(bench *b, const char *name, const trm_model *model, trm_settings settings) {
  double natural[64] = {0}; /* by method */
  for (int i = 0; i < trm_method_count(); i++) {
    bool planar = trm_model_space(model) == TRM_PLANAR;
    if (!wanted(b, trm_method_get(i), "coordinates")) continue;
    if (planar ? trm_method_get(i)->spatial_only : trm_method_get(i)->planar_only) continue;
    if (trm_model_is_system(model) && strcmp(trm_method_get(i)->name, "natural") != 0) continue;
    settings.coordinates = trm_method_get(i)->name;
    for (int k = 0; k < trm_method_count(); k++) {
      if (!wanted(b, trm_method_get(k), "solver")) continue;
      settings.solver = trm_method_get(k)->name;
      measure(b, name, model, &settings, &natural[k % 64]);
    }
  }
}

/* One bad model does not keep the others from being measured. False: a wrong option, wrong for all
 * of them. */
static bool bench_model(bench *b, const char *path) {
  trm_model *model = NULL;
  trm_settings settings;
  char stem[256];
  const char *name = trm_cli_stem(path, stem, sizeof stem) ? stem : path;
  trm_diagnostics_clear(b->diagnostics);
  int status = trm_cli_load(b->arguments, path, &model, &settings, b->diagnostics);
  bool wrong_option = status == 2 && !model;
  if (status > b->status) b->status = status;
  if (wrong_option)
    trm_cli_print_diagnostics(b->diagnostics, true);
  else if (status != 0)
    tell(b, name, NULL, NULL, first_error(b));
  b->system = model && trm_model_is_system(model);
  if (status == 0) measure_all(b, name, model, settings);
  trm_model_destroy(model);
  return !wrong_option;
}

static void print_head(bench *b) {
  if (b->as_json) {
    trm_cli_json_open(&b->json, NULL, '{');
    trm_cli_json_string(&b->json, "version", trm_version());
    trm_cli_json_string(&b->json, "compiler", COMPILER);
    trm_cli_json_number(&b->json, "seconds", b->seconds);
    trm_cli_json_open(&b->json, "runs", '[');
    return;
  }
  printf("trammel %s, %s; the fastest of the runs in %g s each\n\n", trm_version(), COMPILER,
         b->seconds);
  printf("%-28s %-17s %-23s %7s %11s %11s %10s %11s %11s %10s %9s %9s\n", "model", "formulation",
         "solver", "bodies", "coordinates", "constraints", "steps/s", "ns/step", "ns/body",
         "real-time", "kB", "x natural");
}

static int bench_models(bench *b, const char *const *paths, int count) {
  print_head(b);
  for (int k = 0; k < count && bench_model(b, paths[k]); k++) continue;
  if (b->as_json) {
    trm_cli_json_close(&b->json, ']');
    trm_cli_json_close(&b->json, '}');
  }
  return b->status;
}

static int bench_shipped(bench *b) {
  int count;
  char **paths = trm_cli_shipped_models(&count);
  int status = 1;
  if (paths) status = bench_models(b, (const char *const *)paths, count);
  trm_cli_free_paths(paths, count);
  return status;
}

static bool read_seconds(const char *text, double *seconds) {
  if (!text) return true;
  char *end;
  *seconds = strtod(text, &end);
  if (end != text && *end == 0 && *seconds > 0 && *seconds <= 3600) return true;
  trm_cli_error("--seconds: '%s' is no number of seconds above 0 and up to 3600", text);
  return false;
}

static int bench_command(const trm_cli_arguments *arguments) {
  bench b = {.arguments = arguments, .seconds = 0.3, .as_json = trm_cli_given(arguments, "json")};
  if (!read_seconds(trm_cli_value(arguments, "seconds"), &b.seconds)) return 2;
  b.diagnostics = trm_diagnostics_create();
  if (!b.diagnostics) {
    trm_cli_error("out of memory");
    return 1;
  }
  int status = arguments->model_count > 0
                   ? bench_models(&b, arguments->models, arguments->model_count)
                   : bench_shipped(&b);
  trm_diagnostics_destroy(b.diagnostics);
  return status;
}

static const trm_cli_option options[] = {
    {"seconds", 0, "S", "time for each combination, default 0.3"},
    {"json", 0, NULL, "print the measurements as JSON"},
    {0}};

const trm_cli_command trm_cli_bench = {
    .name = "bench",
    .usage = "[MODEL...] [--seconds S] [--json] [--set NAME=VALUE]... [--input NAME=VALUE]... "
             "[--KEY VALUE]...",
    .summary = "speed of this machine on the shipped models, or on those named",
    .notes =
        "Every model runs in all coordinates and with all solvers, unless --coordinates or\n"
        "--solver picks one. The shipped models are looked for in the folder TRAMMEL_MODELS\n"
        "(environment), then beside the program.\n\n"
        "exit status: 0 all were measured; 1 a simulation failed; 2 wrong usage; 3 bad model\n",
    .options = options,
    .settings = true,
    .most_models = -1,
    .run = bench_command};

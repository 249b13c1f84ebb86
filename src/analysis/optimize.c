/* The best values of parameters: NLopt's SLSQP with exact derivatives of the run.
 *
 * Parameters go from 0 to 1 between their bounds. Every evaluation is a line of the log; a search
 * that finds its point there takes the line in place of a run, so it goes on where it was. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/analysis.h>

#include "analysis/differentiate.h"
#include "analysis/goal.h"
#include "base/mix.h"
#include "result/json.h"

#ifdef TRM_NLOPT
#include <nlopt.h>
#endif

#define FINE                                                                                       \
  1e-10 /* relative changes of the value, and of parameters by their bounds, at the end */

typedef struct point {
  double *x;     /* [count] parameters */
  double *value; /* [terms] NaN: the run failed */
  double *slope; /* [terms × count] */
  struct point *next;
} point;

typedef struct search {
  trm_optimum found; /* first: it is what users hold */
  trm_arena *arena;
  const trm_model *model;
  const trm_optimize *section;
  const trm_settings *settings;
  trm_terms terms;
  trm_asked asked;
  trm_expression **goals; /* [term_count + condition_count] */
  double *sign;           /* [condition_count] of sign × goal ≤ 0 */
  double *gradient;       /* [terms] of a goal */
  int count, most;
  point *points, **last; /* in the order of the log */
  point *at;             /* the one that was asked for last */
  double *best;          /* [count] */
  double best_value;
  double *x; /* [count] */
  FILE *log;
  trm_model *model_found;
  trm_optimize_progress progress;
  void *context;
  bool stopped, no_memory;
} search;

/* ---- goals ---- */

static bool parse_condition(search *s, int k) {
  const char *text = s->section->conditions[k], *more = strstr(text, ">=");
  const char *at = more ? more : strstr(text, "<=");
  size_t size = strlen(text) + 8;
  char *formula = trm_arena_alloc(s->arena, size, 1);
  if (!formula) return false;
  snprintf(formula, size, "(%.*s)-(%s)", (int)(at - text), text, at + 2);
  s->sign[k] = more ? -1 : 1;
  return (s->goals[s->section->term_count + k] = trm_goal_parse(&s->terms, formula, NULL)) != NULL;
}

static trm_status parse_goals(search *s, trm_diagnostics *diagnostics) {
  const trm_optimize *o = s->section;
  bool good = true;
  s->goals = TRM_NEW(s->arena, trm_expression *, o->term_count + o->condition_count + 1);
  s->sign = TRM_NEW(s->arena, double, o->condition_count + 1);
  if (!s->goals || !s->sign) return TRM_NO_MEMORY;
  for (int k = 0; k < o->term_count; k++)
    if (!(s->goals[k] = trm_goal_parse(&s->terms, o->terms[k], diagnostics))) good = false;
  for (int k = 0; k < o->condition_count; k++)
    if (!parse_condition(s, k)) {
      trm_report(diagnostics, TRM_ERROR,
                 "optimize: subject-to: '%s' is no condition on final(…) "
                 "and integral(…)",
                 o->conditions[k]);
      good = false;
    }
  s->asked = (trm_asked){s->terms.count, s->terms.formulas, s->terms.integrated};
  s->gradient = TRM_NEW(s->arena, double, s->terms.count + 1);
  if (!s->gradient) return TRM_NO_MEMORY;
  return good ? TRM_OK : TRM_BAD_MODEL;
}

/* ---- evaluations ---- */

static point *new_point(search *s) {
  size_t terms = (size_t)s->terms.count, count = (size_t)s->count;
  point *p = TRM_NEW(s->arena, point, 1);
  double *numbers = TRM_NEW(s->arena, double, count + terms + terms * count + 1);
  if (!p || !numbers) {
    s->no_memory = true;
    return NULL;
  }
  *p = (point){.x = numbers, .value = numbers + count, .slope = numbers + count + terms};
  return p;
}

static void add_point(search *s, point *p) {
  *s->last = p;
  s->last = &p->next;
  s->found.evaluations++;
  s->found.gradients++;
}

static void write_line(search *s, const point *p) {
  int numbers = s->count + s->terms.count * (1 + s->count);
  for (int i = 0; s->log && i < numbers; i++) fprintf(s->log, "%s%.17g", i ? "," : "", p->x[i]);
  if (!s->log) return;
  fputc('\n', s->log);
  fflush(s->log);
}

static trm_status run(search *s, point *p, trm_diagnostics *diagnostics) {
  trm_status status;
  trm_model *model =
      trm_model_with(s->model, s->count, s->section->vary, p->x, diagnostics, &status);
  if (!model) return status;
  trm_derivation by = TRM_CHEAPEST;
  status = trm_differentiate(model, s->settings ? s->settings : &model->settings, &s->asked,
                             s->count, s->section->vary, &by, p->value, p->slope, diagnostics);
  trm_model_destroy(model);
  return status;
}

static double total(const search *s, const point *p) {
  double sum = 0;
  for (int k = 0; k < s->section->term_count; k++)
    sum += s->section->weights[k] * trm_expression_value(s->goals[k], p->value);
  return sum;
}

static bool is_allowed(const search *s, const point *p) {
  for (int k = 0; k < s->section->condition_count; k++)
    if (!(s->sign[k] * trm_expression_value(s->goals[s->section->term_count + k], p->value) <=
          1e-8))
      return false;
  return true;
}

static void judge(search *s, const point *p) {
  double value = total(s, p);
  bool better = is_allowed(s, p) && (isnan(s->best_value) || value < s->best_value);
  if (better && !isnan(value)) {
    s->best_value = value;
    memcpy(s->best, p->x, (size_t)s->count * sizeof(double));
  }
  if (s->progress && !s->progress(s->context, s->found.evaluations, value)) s->stopped = true;
}

/* The point with these parameters, from the log or by a run; NULL: out of memory. */
static point *evaluate(search *s, const double *x, trm_diagnostics *diagnostics,
                       trm_status *status) {
  size_t size = (size_t)s->count * sizeof(double);
  *status = TRM_OK;
  if (s->at && memcmp(s->at->x, x, size) == 0) return s->at;
  for (point *p = s->points; p; p = p->next)
    if (memcmp(p->x, x, size) == 0) {
      judge(s, p);
      return s->at = p;
    }
  point *p = new_point(s);
  if (!p) return NULL;
  memcpy(p->x, x, size);
  *status = run(s, p, diagnostics);
  if (*status != TRM_OK) p->value[0] = NAN;
  add_point(s, p);
  write_line(s, p);
  judge(s, p);
  return s->at = p;
}

/* ---- the log ---- */

static uint64_t fingerprint(const search *s) {
  const trm_model *model = s->model;
  const trm_settings *settings = s->settings ? s->settings : &model->settings;
  const double numbers[] = {settings->duration, settings->rtol, settings->atol};
  uint64_t sum = trm_mix_texts(trm_model_mix(model), model->overrides);
  return trm_mix(sum, numbers, sizeof numbers);
}

/* Lines up to the first that is not whole. */
static void read_lines(search *s, FILE *file) {
  int numbers = s->count + s->terms.count * (1 + s->count);
  for (point *p = new_point(s); p; p = new_point(s)) {
    for (int i = 0; i < numbers; i++) {
      int end = i + 1 < numbers ? ',' : '\n';
      if (fscanf(file, "%lf", &p->x[i]) != 1 || fgetc(file) != end) return;
    }
    add_point(s, p);
  }
}

/* Whole lines are written again: the last may have been cut off. */
static trm_status open_log(search *s, const char *path, trm_diagnostics *diagnostics) {
  char first[80], line[80] = "";
  snprintf(first, sizeof first, "trammel optimize %016llx\n", (unsigned long long)fingerprint(s));
  FILE *file = fopen(path, "r");
  if (file && fgets(line, sizeof line, file) && strcmp(line, first) == 0) read_lines(s, file);
  if (file) fclose(file);
  s->log = fopen(path, "w");
  if (!s->log) {
    trm_report(diagnostics, TRM_ERROR, "cannot write '%s'", path);
    return TRM_IO_ERROR;
  }
  fputs(first, s->log);
  for (const point *p = s->points; p; p = p->next) write_line(s, p);
  return s->no_memory ? TRM_NO_MEMORY : TRM_OK;
}

/* ---- the search ---- */

#ifdef TRM_NLOPT

typedef struct condition {
  search *s;
  int goal; /* −1: what is to be small */
  double factor;
  nlopt_opt nlopt;
} condition;

static void add_goal(search *s, const point *p, int goal, double factor, double *value,
                     double *slope) {
  *value += factor * trm_expression_gradient(s->goals[goal], p->value, s->gradient);
  int slots = trm_expression_slot_count(s->goals[goal]);
  for (int i = 0; slope && i < slots; i++)
    for (int k = 0; k < s->count; k++)
      slope[k] += factor * s->gradient[i] * p->slope[i * s->count + k] *
                  (s->section->bounds[k][1] - s->section->bounds[k][0]);
}

static void place(const search *s, const double *u, double *x) {
  for (int k = 0; k < s->count; k++) {
    const double *b = s->section->bounds[k];
    x[k] = b[0] + u[k] * (b[1] - b[0]);
  }
}

static double value_of(unsigned count, const double *u, double *slope, void *context) {
  condition *c = context;
  search *s = c->s;
  const trm_optimize *o = s->section;
  double value = 0, *x = s->x;
  trm_status status;
  place(s, u, x);
  point *p = evaluate(s, x, NULL, &status);
  if (!p || s->stopped) {
    nlopt_force_stop(c->nlopt);
    return HUGE_VAL;
  }
  for (unsigned k = 0; slope && k < count; k++) slope[k] = 0;
  if (isnan(p->value[0])) return HUGE_VAL; /* a mechanism that does not move is no good one */
  if (c->goal >= 0)
    add_goal(s, p, c->goal, c->factor, &value, slope);
  else
    for (int k = 0; k < o->term_count; k++) add_goal(s, p, k, o->weights[k], &value, slope);
  return value;
}

static void search_all(search *s) {
  const trm_optimize *o = s->section;
  unsigned count = (unsigned)s->count;
  nlopt_opt nlopt = nlopt_create(NLOPT_LD_SLSQP, count);
  condition *conditions = TRM_NEW(s->arena, condition, o->condition_count + 1);
  double *u = TRM_NEW(s->arena, double, s->count), value;
  if (!nlopt || !conditions || !u) {
    s->no_memory = true;
    nlopt_destroy(nlopt);
    return;
  }
  for (int k = 0; k < s->count; k++)
    u[k] = (s->found.start[k] - o->bounds[k][0]) / (o->bounds[k][1] - o->bounds[k][0]);
  conditions[0] = (condition){s, -1, 1, nlopt};
  nlopt_set_min_objective(nlopt, value_of, &conditions[0]);
  for (int k = 0; k < o->condition_count; k++) {
    conditions[k + 1] = (condition){s, o->term_count + k, s->sign[k], nlopt};
    nlopt_add_inequality_constraint(nlopt, value_of, &conditions[k + 1], 1e-9);
  }
  nlopt_set_lower_bounds1(nlopt, 0);
  nlopt_set_upper_bounds1(nlopt, 1);
  nlopt_set_ftol_rel(nlopt, FINE);
  nlopt_set_xtol_rel(nlopt, FINE);
  nlopt_set_maxeval(nlopt, s->most);
  nlopt_result result = nlopt_optimize(nlopt, u, &value);
  /* round-off ends a search where there is no more to gain */
  bool found = (result > 0 || result == NLOPT_ROUNDOFF_LIMITED) && !isnan(s->best_value);
  s->found.status = s->stopped                        ? "interrupted"
                    : result == NLOPT_MAXEVAL_REACHED ? "limit"
                    : found                           ? "found"
                                                      : "failed";
  nlopt_destroy(nlopt);
}

#else

static void search_all(search *s) {
  s->found.status = "failed";
}

#endif

static trm_status check(const search *s, trm_diagnostics *diagnostics) {
#ifndef TRM_NLOPT
  trm_report(diagnostics, TRM_ERROR,
             "optima need NLopt, without which this program was built; install it (Debian: "
             "libnlopt-dev) and build again");
  return TRM_BAD_USAGE;
#endif
  const trm_optimize *o = s->section;
  if (!o || o->vary_count == 0 || o->term_count == 0) {
    trm_report(diagnostics, TRM_ERROR,
               "the model has no section `optimize` with vary and minimize");
    return TRM_BAD_MODEL;
  }
  for (int k = 0; k < o->vary_count; k++)
    if (!(s->found.start[k] >= o->bounds[k][0] && s->found.start[k] <= o->bounds[k][1])) {
      trm_report(diagnostics, TRM_ERROR,
                 "optimize: parameter '%s' starts at %g, outside its bounds %g to %g", o->vary[k],
                 s->found.start[k], o->bounds[k][0], o->bounds[k][1]);
      return TRM_BAD_MODEL;
    }
  return TRM_OK;
}

static trm_status prepare(search *s) {
  const trm_optimize *o = s->section;
  s->count = o ? o->vary_count : 0;
  double *start = TRM_NEW(s->arena, double, s->count + 1);
  s->best = TRM_NEW(s->arena, double, s->count + 1);
  s->x = TRM_NEW(s->arena, double, s->count + 1);
  if (!start || !s->best || !s->x) return TRM_NO_MEMORY;
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->model->parameter_count; i++)
      if (strcmp(s->model->parameters[i].name, o->vary[k]) == 0)
        start[k] = s->best[k] = s->model->parameters[i].value;
  s->found.count = s->count;
  s->found.parameters = o ? o->vary : NULL;
  s->found.start = start;
  s->found.values = s->best;
  return TRM_OK;
}

static trm_status work(search *s, const char *log, trm_diagnostics *diagnostics) {
  trm_status status = prepare(s);
  if (status == TRM_OK) status = check(s, diagnostics);
  if (status == TRM_OK) status = parse_goals(s, diagnostics);
  if (status == TRM_OK && log) status = open_log(s, log, diagnostics);
  if (status != TRM_OK) return status;
  /* what is wrong with the start is said */
  point *first = evaluate(s, s->found.start, diagnostics, &status);
  if (!first) return TRM_NO_MEMORY;
  if (isnan(first->value[0])) return status == TRM_OK ? TRM_FAILED : status;
  s->found.start_value = total(s, first);
  search_all(s);
  if (s->no_memory) return TRM_NO_MEMORY;
  s->found.value = s->best_value;
  s->model_found =
      trm_model_with(s->model, s->count, s->section->vary, s->best, diagnostics, &status);
  s->found.model = s->model_found;
  return status;
}

trm_optimum *trm_model_optimize(const trm_model *model, const trm_settings *settings, int most,
                                const char *log, trm_optimize_progress progress, void *context,
                                trm_diagnostics *diagnostics, trm_status *status) {
  trm_status ignored, *result = status ? status : &ignored;
  trm_arena *arena = trm_arena_create();
  search *s = arena ? TRM_NEW(arena, search, 1) : NULL;
  *result = TRM_NO_MEMORY;
  if (s) {
    *s = (search){.arena = arena,
                  .model = model,
                  .section = model->optimize,
                  .settings = settings,
                  .terms = {.arena = arena, .model = model},
                  .most = most,
                  .best_value = NAN,
                  .progress = progress,
                  .context = context};
    s->last = &s->points;
    *result = work(s, log, diagnostics);
    bool lost = s->log && ferror(s->log);
    if (s->log && fclose(s->log) != 0) lost = true;
    if (lost) trm_report(diagnostics, TRM_ERROR, "cannot write '%s'", log);
    if (lost && *result == TRM_OK) *result = TRM_IO_ERROR;
  }
  if (*result == TRM_OK) return &s->found;
  if (*result == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  if (s)
    trm_optimum_destroy(&s->found);
  else
    trm_arena_destroy(arena);
  return NULL;
}

void trm_optimum_destroy(trm_optimum *optimum) {
  search *s = (search *)optimum;
  if (!s) return;
  int goals = s->goals ? s->section->term_count + s->section->condition_count : 0;
  for (int k = 0; k < goals; k++) trm_expression_destroy(s->goals[k]);
  trm_model_destroy(s->model_found);
  trm_arena_destroy(s->arena);
}

static void write_parameters(trm_json *json, const trm_optimum *o, const double *values) {
  trm_json_open(json, "parameters");
  for (int k = 0; k < o->count; k++) trm_json_number(json, o->parameters[k], values[k]);
  trm_json_close(json);
}

trm_status trm_optimum_write_json(const trm_optimum *o, const char *path,
                                  trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_json json;
  trm_json_begin(&json, output);
  trm_json_string(&json, "status", o->status);
  trm_json_number(&json, "value", o->value);
  write_parameters(&json, o, o->values);
  trm_json_integer(&json, "evaluations", o->evaluations);
  trm_json_integer(&json, "gradients", o->gradients);
  trm_json_open(&json, "start");
  trm_json_number(&json, "value", o->start_value);
  write_parameters(&json, o, o->start);
  trm_json_close(&json);
  trm_json_end(&json);
  return trm_output_close(output, diagnostics);
}

/* The best values of parameters, with exact derivatives of the run.
 *
 * Every evaluation is a line of the log; a search that finds its point there takes the line in
 * place of a run, so it goes on where it was. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/search.h"
#include "base/mix.h"

/* ---- goals ---- */

static bool parse_condition(trm_search *s, int k) {
  const char *text = s->section->conditions[k], *more = strstr(text, ">=");
  const char *at = more ? more : strstr(text, "<=");
  size_t size = strlen(text) + 8;
  char *formula = trm_arena_alloc(s->arena, size, 1);
  if (!formula) return false;
  snprintf(formula, size, "(%.*s)-(%s)", (int)(at - text), text, at + 2);
  s->sign[k] = more ? -1 : 1;
  return (s->goals[s->section->term_count + k] = trm_goal_parse(&s->terms, formula, NULL)) != NULL;
}

static trm_status parse_goals(trm_search *s, trm_diagnostics *diagnostics) {
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
  s->gradient = TRM_NEW(s->arena, double, s->terms.count + 1);
  if (!s->gradient) return TRM_NO_MEMORY;
  return good ? TRM_OK : TRM_BAD_MODEL;
}

/* Terms of the goals, and the columns of a record at its times. */
static trm_status ask(trm_search *s) {
  int terms = s->terms.count, all = terms + s->fit.columns;
  const char **formulas = TRM_NEW(s->arena, const char *, all + 1);
  bool *integrated = TRM_NEW(s->arena, bool, all + 1);
  s->values = TRM_NEW(s->arena, double, all + 1);
  s->slopes = TRM_NEW(s->arena, double, all * s->count + 1);
  if (trm_arena_failed(s->arena)) return TRM_NO_MEMORY;
  for (int i = 0; i < terms; i++) {
    formulas[i] = s->terms.formulas[i];
    integrated[i] = s->terms.integrated[i];
  }
  for (int c = 0; c < s->fit.columns; c++) formulas[terms + c] = s->fit.names[c];
  s->asked = (trm_asked){.count = all,
                         .formulas = formulas,
                         .integrated = integrated,
                         .time_count = s->fit.rows,
                         .times = s->fit.times,
                         .tell = trm_measured_add,
                         .context = &s->fit};
  s->fit.first = terms;
  s->entries = terms + (s->fit.rows > 0);
  return TRM_OK;
}

/* ---- evaluations ---- */

static trm_candidate *new_point(trm_search *s) {
  size_t terms = (size_t)s->entries, count = (size_t)s->count;
  trm_candidate *p = TRM_NEW(s->arena, trm_candidate, 1);
  double *numbers = TRM_NEW(s->arena, double, count + terms + terms * count + 1);
  if (!p || !numbers) {
    s->no_memory = true;
    return NULL;
  }
  *p = (trm_candidate){.x = numbers, .value = numbers + count, .slope = numbers + count + terms};
  return p;
}

static void add_point(trm_search *s, trm_candidate *p) {
  *s->last = p;
  s->last = &p->next;
  s->found.evaluations++;
  s->found.gradients++;
}

static void write_line(trm_search *s, const trm_candidate *p) {
  int numbers = s->count + s->entries * (1 + s->count);
  for (int i = 0; s->log && i < numbers; i++) fprintf(s->log, "%s%.17g", i ? "," : "", p->x[i]);
  if (!s->log) return;
  fputc('\n', s->log);
  fflush(s->log);
}

static trm_status run(trm_search *s, trm_candidate *p, trm_diagnostics *diagnostics) {
  trm_status status;
  trm_model *model =
      trm_model_with(s->model, s->count, s->section->vary, p->x, diagnostics, &status);
  if (!model) return status;
  trm_derivation by = TRM_CHEAPEST;
  if (s->fit.rows > 0) trm_measured_begin(&s->fit);
  status = trm_differentiate(model, s->settings ? s->settings : &model->settings, &s->asked,
                             s->count, s->section->vary, &by, s->values, s->slopes, diagnostics);
  trm_model_destroy(model);
  size_t terms = (size_t)s->terms.count, count = (size_t)s->count;
  memcpy(p->value, s->values, terms * sizeof(double));
  memcpy(p->slope, s->slopes, terms * count * sizeof(double));
  if (s->fit.rows == 0) return status;
  p->value[terms] = s->fit.sum;
  memcpy(p->slope + terms * count, s->fit.slope, count * sizeof(double));
  return status;
}

static double add_goal(trm_search *s, const trm_candidate *p, int goal, double factor,
                       double *slope) {
  double value = factor * trm_expression_gradient(s->goals[goal], p->value, s->gradient);
  int slots = trm_expression_slot_count(s->goals[goal]);
  for (int i = 0; slope && i < slots; i++)
    for (int k = 0; k < s->count; k++)
      slope[k] += factor * s->gradient[i] * p->slope[i * s->count + k];
  return value;
}

double trm_search_value(trm_search *s, const trm_candidate *p, int goal, double factor,
                        double *slope) {
  const trm_optimize *o = s->section;
  double value = 0;
  for (int k = 0; slope && k < s->count; k++) slope[k] = 0;
  for (int i = 0; goal < 0 && i < o->term_count; i++)
    value += add_goal(s, p, i, o->weights[i], slope);
  if (goal < 0 && s->fit.rows > 0) {
    value += p->value[s->terms.count];
    for (int k = 0; slope && k < s->count; k++) slope[k] += p->slope[s->terms.count * s->count + k];
  }
  if (goal >= 0) value = add_goal(s, p, goal, factor, slope);
  for (int k = 0; slope && k < s->count; k++) slope[k] *= o->bounds[k][1] - o->bounds[k][0];
  return value;
}

static bool satisfies_bounds(const trm_search *s, const trm_candidate *p) {
  for (int k = 0; k < s->section->condition_count; k++)
    if (!(s->sign[k] * trm_expression_value(s->goals[s->section->term_count + k], p->value) <=
          1e-8))
      return false;
  return true;
}

static void judge(trm_search *s, const trm_candidate *p) {
  double value = trm_search_value(s, p, -1, 1, NULL);
  bool better = satisfies_bounds(s, p) && (isnan(s->best_value) || value < s->best_value);
  if (better && !isnan(value)) {
    s->best_value = value;
    memcpy(s->best, p->x, (size_t)s->count * sizeof(double));
  }
  if (s->progress && !s->progress(s->context, s->found.evaluations, value)) s->stopped = true;
}

trm_candidate *trm_search_evaluate(trm_search *s, const double *x, trm_diagnostics *diagnostics,
                                   trm_status *status) {
  size_t size = (size_t)s->count * sizeof(double);
  *status = TRM_OK;
  if (s->at && memcmp(s->at->x, x, size) == 0) return s->at;
  for (trm_candidate *p = s->points; p; p = p->next)
    if (memcmp(p->x, x, size) == 0) {
      judge(s, p);
      return s->at = p;
    }
  trm_candidate *p = new_point(s);
  if (!p) return NULL;
  memcpy(p->x, x, size);
  *status = run(s, p, diagnostics);
  if (*status != TRM_OK) p->value[0] = NAN;
  if (*status == TRM_NO_MEMORY) s->no_memory = true; /* says nothing of this point */
  add_point(s, p);
  write_line(s, p);
  judge(s, p);
  return s->at = p;
}

/* ---- the log ---- */

static uint64_t fingerprint(const trm_search *s) {
  const trm_model *model = s->model;
  const trm_settings *settings = s->settings ? s->settings : &model->settings;
  const double numbers[] = {settings->duration, settings->rtol, settings->atol};
  uint64_t sum = trm_mix_texts(trm_model_mix(model), model->overrides);
  sum = trm_mix(sum, s->fit.times, (size_t)s->fit.rows * sizeof(double));
  sum = trm_mix(sum, s->fit.data, (size_t)(s->fit.rows * s->fit.columns) * sizeof(double));
  return trm_mix(sum, numbers, sizeof numbers);
}

/* Lines up to the first that is not whole. */
static void read_lines(trm_search *s, FILE *file) {
  int numbers = s->count + s->entries * (1 + s->count);
  for (trm_candidate *p = new_point(s); p; p = new_point(s)) {
    for (int i = 0; i < numbers; i++) {
      int end = i + 1 < numbers ? ',' : '\n';
      if (fscanf(file, "%lf", &p->x[i]) != 1 || fgetc(file) != end) return;
    }
    add_point(s, p);
  }
}

/* Whole lines are written again: the last may have been cut off. */
static trm_status open_log(trm_search *s, const char *path, trm_diagnostics *diagnostics) {
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
  for (const trm_candidate *p = s->points; p; p = p->next) write_line(s, p);
  return s->no_memory ? TRM_NO_MEMORY : TRM_OK;
}

static trm_status check(const trm_search *s, trm_diagnostics *diagnostics) {
#ifndef TRM_NLOPT
  trm_report(diagnostics, TRM_ERROR,
             "optima need NLopt, without which this program was built; install it (Debian: "
             "libnlopt-dev) and build again");
  return TRM_BAD_USAGE;
#endif
  const trm_optimize *o = s->section;
  if (!o || o->vary_count == 0 || (o->term_count == 0 && !o->record)) {
    trm_report(diagnostics, TRM_ERROR,
               "the model has no section `optimize` with vary, and minimize or fit");
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

static trm_status prepare(trm_search *s) {
  const trm_optimize *o = s->section;
  s->count = o ? o->vary_count : 0;
  double *start = TRM_NEW(s->arena, double, s->count + 1);
  s->best = TRM_NEW(s->arena, double, s->count + 1);
  s->x = TRM_NEW(s->arena, double, s->count + 1);
  s->starts = TRM_NEW(s->arena, trm_optimum_start, o ? o->starts + 1 : 1);
  if (trm_arena_failed(s->arena)) return TRM_NO_MEMORY;
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

/* One run more where it is wanted: of the best, at the record's times. */
static void judge_fit(trm_search *s) {
  trm_candidate *p = new_point(s);
  double *covariance = TRM_NEW(s->arena, double, s->count * s->count + 1);
  trm_diagnostics *said = trm_diagnostics_create();
  if (p && covariance && said) {
    memcpy(p->x, s->best, (size_t)s->count * sizeof(double));
    s->found.points = s->fit.points;
    if (run(s, p, said) == TRM_OK &&
        trm_measured_covariance(&s->fit, covariance, &s->found.deviation))
      s->found.covariance = covariance;
  } else {
    s->no_memory = true;
  }
  trm_diagnostics_destroy(said);
}

/* Before and after. */
static trm_status finish(trm_search *s, const trm_candidate *first) {
  const trm_optimize *o = s->section;
  int count = o->term_count + o->condition_count;
  trm_optimum_goal *goals = TRM_NEW(s->arena, trm_optimum_goal, count + 1);
  trm_status status;
  if (!goals) return TRM_NO_MEMORY;
  const trm_candidate *best = trm_search_evaluate(s, s->best, NULL, &status);
  if (!best) return TRM_NO_MEMORY;
  for (int i = 0; i < count; i++)
    goals[i] = (trm_optimum_goal){.formula = i < o->term_count ? o->terms[i]
                                                               : o->conditions[i - o->term_count],
                                  .condition = i >= o->term_count,
                                  .weight = i < o->term_count ? o->weights[i] : 0,
                                  .start = trm_expression_value(s->goals[i], first->value),
                                  .value = trm_expression_value(s->goals[i], best->value)};
  s->found.goal_count = count;
  s->found.goals = goals;
  s->found.method = o->method;
  s->found.start_count = o->starts;
  s->found.starts = s->starts;
  if (s->fit.rows > 0 && !isnan(s->best_value)) judge_fit(s);
  return s->no_memory ? TRM_NO_MEMORY : TRM_OK;
}

static trm_status work(trm_search *s, const char *log, trm_diagnostics *diagnostics) {
  trm_status status = prepare(s);
  if (status == TRM_OK) status = check(s, diagnostics);
  if (status == TRM_OK) status = parse_goals(s, diagnostics);
  double duration = (s->settings ? s->settings : &s->model->settings)->duration;
  if (status == TRM_OK && s->section->record)
    status = trm_measured_read(&s->fit, s->model, duration, s->arena, diagnostics);
  if (status == TRM_OK) status = ask(s);
  if (status == TRM_OK && log) status = open_log(s, log, diagnostics);
  if (status != TRM_OK) return status;
  /* what is wrong with the start is said */
  trm_candidate *first = trm_search_evaluate(s, s->found.start, diagnostics, &status);
  if (!first) return TRM_NO_MEMORY;
  if (isnan(first->value[0])) return status == TRM_OK ? TRM_FAILED : status;
  s->found.start_value = trm_search_value(s, first, -1, 1, NULL);
  trm_search_all(s);
  if (s->no_memory) return TRM_NO_MEMORY;
  s->found.value = s->best_value;
  s->model_found =
      trm_model_with(s->model, s->count, s->section->vary, s->best, diagnostics, &status);
  s->found.model = s->model_found;
  return status == TRM_OK ? finish(s, first) : status;
}

trm_optimum *trm_model_optimize(const trm_model *model, const trm_settings *settings, int most,
                                const char *log, trm_optimize_progress progress, void *context,
                                trm_diagnostics *diagnostics, trm_status *status) {
  trm_status ignored, *result = status ? status : &ignored;
  trm_arena *arena = trm_arena_create();
  trm_search *s = arena ? TRM_NEW(arena, trm_search, 1) : NULL;
  *result = TRM_NO_MEMORY;
  if (s) {
    *s = (trm_search){.arena = arena,
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
  trm_search *s = (trm_search *)optimum;
  if (!s) return;
  int goals = s->goals ? s->section->term_count + s->section->condition_count : 0;
  for (int k = 0; k < goals; k++) trm_expression_destroy(s->goals[k]);
  trm_model_destroy(s->model_found);
  trm_arena_destroy(s->arena);
}

/* What the user asks of the motion: conditions on its start, columns of its results. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"

/* A set of names; false where the name is in it already. */
static bool add_once(trm_draft *draft, trm_map *names, const char *name) {
  if (trm_map_get(names, name, strlen(name)) >= 0) return false;
  if (!trm_map_put(names, name, strlen(name), 0)) draft->no_memory = true;
  return true;
}

static bool may_start(const trm_measure *measure) {
  /* an angular velocity, but no single component of a quaternion */
  if (measure->kind == TRM_MEASURE_ORIENTATION) return measure->level == 1;
  if (trm_measure_is_euler(measure)) return measure->level == 0;
  bool known = measure->kind == TRM_MEASURE_POINT || measure->kind == TRM_MEASURE_ANGLE ||
               measure->kind == TRM_MEASURE_FREEDOM || measure->kind == TRM_MEASURE_BODY_AXES ||
               measure->kind == TRM_MEASURE_HEADING || measure->kind == TRM_MEASURE_COORDINATE;
  return known && measure->level < 2;
}

static void add_initial(trm_draft *draft, const trm_initial_def *definition, trm_map *names) {
  trm_model *model = draft->model;
  const trm_subject subject = {"initial", "initial", definition->measure};
  trm_measure measure;
  char reason[512];
  trm_draft_finite(draft, &subject, NULL, definition->value);
  bool euler = trm_euler_find(model, definition->measure, &measure);
  if (!euler && !trm_measure_find(model, definition->measure, strlen(definition->measure), &measure,
                                  reason, sizeof reason)) {
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": %s", reason);
  } else if (!may_start(&measure)) {
    TRM_DRAFT_ERROR(draft, &subject, NULL,
                    ": this is %s; only positions and velocities of %s can be given at the start",
                    trm_measure_level_name(&measure),
                    model->user ? "coordinates" : "bodies, points and joint freedoms");
  } else if (!add_once(draft, names, definition->measure)) {
    TRM_DRAFT_ERROR(draft, &subject, NULL, " is given twice");
  } else {
    measure.name = definition->measure;
    if (trm_measure_is_euler(&measure)) trm_draft_determined(draft, &subject, NULL, &measure);
    model->initials[model->initial_count++] =
        (trm_initial){.measure = measure, .value = definition->value};
  }
}

trm_place trm_initial_place(const trm_model *model, const char *measure) {
  for (int i = 0; i < model->initial_count; i++)
    if (strcmp(model->initials[i].measure.name, measure) == 0)
      return trm_origin_place(model, model->initials[i].origin);
  return (trm_place){0};
}

void trm_draft_initials(trm_draft *draft) {
  trm_model *model = draft->model;
  trm_map *names = trm_map_create(draft->arena);
  model->initials = TRM_NEW(model->arena, trm_initial, draft->initial_count);
  if (!names || !model->initials) {
    draft->no_memory = true;
    return;
  }
  for (int i = 0; i < draft->initial_count; i++) add_initial(draft, &draft->initials[i], names);
}

/* Every body's pose, velocity and acceleration, shafts, reactions, signals, events, energies,
 * violations; of a system everything. */
static void select_default(trm_draft *draft) {
  trm_model *model = draft->model;
  char reason[64];
  if (model->user) {
    if (!trm_user_select(model, NULL, &model->outputs, &model->output_count, reason, sizeof reason))
      draft->no_memory = true;
    return;
  }
  enum { PLANAR = 9, SPATIAL = 22, JOINT = 7, OTHERS = 7 }; /* at most; energies and violations */
  int motion = model->space == TRM_PLANAR ? PLANAR : SPATIAL;
  model->outputs = trm_grow_to(model->arena,
                               motion * model->body_count + JOINT * model->joint_count +
                                   model->named_signals + 2 * model->event_count + OTHERS,
                               sizeof *model->outputs);
  bool good = model->outputs != NULL;
  for (int i = 0; i < trm_model_placed(model) && good; i++)
    good = trm_measure_select_motion(model, i, model->outputs, &model->output_count);
  for (int i = 0; i < model->joint_count && good; i++)
    good = trm_measure_select_forces(model, i, model->outputs, &model->output_count);
  for (int i = 0; i < model->named_signals && good; i++)
    good = trm_measure_select(model, model->signals[i].name, &model->outputs, &model->output_count,
                              reason, sizeof reason);
  for (int i = 0; i < model->event_count && good; i++)
    good = trm_measure_select(model, model->events[i].name, &model->outputs, &model->output_count,
                              reason, sizeof reason);
  const char *const others[] = {"energy", "constraint"};
  for (int k = 0; k < 2 && good; k++)
    good = trm_measure_select(model, others[k], &model->outputs, &model->output_count, reason,
                              sizeof reason);
  /* a reserved name, which is reported, selects nothing */
  if (!good && draft->errors == 0) draft->no_memory = true;
}

/* A column that is there already is not repeated. */
static void add_column(trm_draft *draft, const trm_measure *measure, trm_map *names) {
  trm_model *model = draft->model;
  if (!add_once(draft, names, measure->name)) return;
  trm_measure *columns =
      trm_grow(model->arena, model->outputs, model->output_count, sizeof *columns);
  if (!columns) {
    draft->no_memory = true;
    return;
  }
  model->outputs = columns;
  model->outputs[model->output_count++] = *measure;
}

static void add_output(trm_draft *draft, int i, trm_map *names) {
  trm_measure *list = NULL;
  int count = 0;
  char path[32], reason[512];
  const char *name = draft->outputs[i].name;
  if (!trm_measure_select(draft->model, name, &list, &count, reason, sizeof reason)) {
    snprintf(path, sizeof path, "outputs/%d", i);
    trm_draft_error_at(draft, path, "output '%.60s': %s", name, reason);
  }
  for (int k = 0; k < count; k++) add_column(draft, &list[k], names);
}

static void select_outputs(trm_draft *draft) {
  if (draft->output_count == 0) {
    select_default(draft);
    return;
  }
  trm_map *names = trm_map_create(draft->arena);
  if (!names) {
    draft->no_memory = true;
    return;
  }
  add_once(draft, names, "t"); /* always the first column */
  for (int i = 0; i < draft->output_count; i++) add_output(draft, i, names);
}

static bool same_point(const trm_end *a, const trm_end *b) {
  return a->body == b->body && a->u[0] == b->u[0] && a->u[1] == b->u[1] && a->u[2] == b->u[2];
}

/* Components of one quantity; a joint's angle and displacement are two. */
static bool belong_together(const trm_measure *a, const trm_measure *b) {
  if (a->kind != b->kind || a->level != b->level || a->index != b->index) return false;
  return a->kind == TRM_MEASURE_POINT ? same_point(&a->end, &b->end)
                                      : a->kind != TRM_MEASURE_FREEDOM;
}

void trm_measures_group(trm_measure *measures, int count) {
  for (int i = 1; i < count; i++)
    measures[i].together = belong_together(&measures[i - 1], &measures[i]);
}

void trm_draft_outputs(trm_draft *draft) {
  trm_draft_formulas(draft);
  select_outputs(draft);
  trm_draft_figures(draft);
  trm_measures_group(draft->model->outputs, draft->model->output_count);
}

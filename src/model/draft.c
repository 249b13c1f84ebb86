/* Collecting definitions: everything is copied, nothing is judged before trm_model_finish. */
#include "base/sized.h"
#include "model/build.h"

#include <stdlib.h>
#include <string.h>

static const trm_body_def no_body = {.name = "", .orientation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const trm_joint_def no_joint = {.name = ""};
static const trm_shaft_def no_shaft = {.name = ""};
static const trm_event_def no_event = {.name = ""};
static const trm_force_def no_force = {.name = "", .orientation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

void trm_body_init(trm_body_def *defaults, size_t size) {
  trm_sized_give(defaults, size, &no_body, sizeof no_body);
}

void trm_joint_init(trm_joint_def *defaults, size_t size) {
  trm_sized_give(defaults, size, &no_joint, sizeof no_joint);
}

void trm_force_init(trm_force_def *defaults, size_t size) {
  trm_sized_give(defaults, size, &no_force, sizeof no_force);
}

void trm_shaft_init(trm_shaft_def *defaults, size_t size) {
  trm_sized_give(defaults, size, &no_shaft, sizeof no_shaft);
}

void trm_event_init(trm_event_def *defaults, size_t size) {
  trm_sized_give(defaults, size, &no_event, sizeof no_event);
}

static bool start_draft(trm_model *model) {
  trm_draft *draft = calloc(1, sizeof *draft);
  if (!draft) return false;
  model->draft = draft;
  draft->model = model;
  draft->units = trm_units_get(0);
  draft->arena = trm_arena_create();
  return draft->arena != NULL;
}

trm_model *trm_model_create(trm_space space) {
  trm_model *model = calloc(1, sizeof *model);
  if (!model) return NULL;
  model->name = model->description = model->file = model->text = "";
  model->space = space;
  model->dim = space == TRM_SPATIAL ? 3 : 2;
  model->ground.name = "ground";
  model->length = 1;
  model->settings = trm_default_settings();
  model->arena = trm_arena_create();
  if (model->arena && start_draft(model)) return model;
  trm_model_destroy(model);
  return NULL;
}

/* And tires: what is not in the arena. */
static void destroy_formulas(trm_model *model) {
  trm_figures_destroy(model);
  for (int i = 0; model->parameter_symbols && i < model->parameter_count; i++)
    trm_expression_destroy(model->parameter_symbols[i]);
  trm_formulas_destroy(model);
  for (int i = 0; i < model->joint_count; i++) trm_quantity_free(&model->joints[i].value);
  for (int i = 0; i < model->force_count; i++) {
    trm_force *force = &model->forces[i];
    for (int k = 0; k < 6; k++) trm_quantity_free(&force->value[k]);
    trm_quantity_free(&force->stiffness);
    trm_quantity_free(&force->damping);
    trm_quantity_free(&force->free);
  }
  trm_quantity_free(&model->road.height);
  trm_quantity_free(&model->road.friction);
  for (int i = 0; i < model->tire_count; i++)
    if (!model->tires[i].shared) trm_tire_destroy((trm_tire *)model->tires[i].tire);
  for (int i = 0; i < model->signal_count; i++) {
    trm_quantity_free(&model->signals[i].value);
    trm_quantity_free(&model->signals[i].initial);
    for (int k = 0; k < model->signals[i].argument_count; k++)
      trm_quantity_free(&model->signals[i].arguments[k]);
  }
  for (int i = 0; i < model->event_count; i++) {
    trm_quantity_free(&model->events[i].when);
    for (int k = 0; k < model->events[i].set_count; k++)
      trm_quantity_free(&model->events[i].sets[k].value);
  }
}

void trm_draft_destroy(trm_model *model) {
  trm_draft *draft = model->draft;
  if (!draft) return;
  free(draft->values);
  free(draft->points);
  free(draft->bodies);
  free(draft->joints);
  free(draft->forces);
  free(draft->shafts);
  free(draft->initials);
  free(draft->outputs);
  free(draft->signals);
  free(draft->events);
  trm_arena_destroy(draft->arena);
  free(draft);
  model->draft = NULL;
}

void trm_model_destroy(trm_model *model) {
  if (!model) return;
  destroy_formulas(model);
  trm_user_destroy(model->user);
  trm_draft_destroy(model);
  trm_shelf_release(model->shelf);
  trm_arena_destroy(model->arena);
  free(model);
}

/* Capacities are 8, 16, 32, …: full exactly at these counts. */
static bool is_full(int count) {
  return count == 0 || (count >= 8 && (count & (count - 1)) == 0);
}

void *trm_grow(trm_arena *arena, void *items, int count, size_t size) {
  if (!is_full(count)) return items;
  void *larger = trm_arena_alloc(arena, count ? 2 * (size_t)count : 8, size);
  if (larger && count) memcpy(larger, items, (size_t)count * size);
  return larger;
}

void *trm_grow_to(trm_arena *arena, int count, size_t size) {
  size_t capacity = 8;
  while (capacity < (size_t)count) capacity *= 2;
  return trm_arena_alloc(arena, capacity, size);
}

/* NULL once finished: a finished model is read-only. */
static trm_draft *draft_of(trm_model *model) {
  return model ? model->draft : NULL;
}

static const char *keep(trm_draft *draft, const char *text) {
  const char *copy = trm_arena_string(draft->model->arena, text);
  if (text && !copy) draft->no_memory = true;
  return copy;
}

static const char *keep_name(trm_draft *draft, const char *text) {
  const char *copy = keep(draft, text ? text : "");
  return copy ? copy : "";
}

/* Room behind a list of the draft; a lack of memory is remembered. The lists may be large: moving
 * them leaves nothing behind, as an arena would. */
static void *room(trm_draft *draft, void *items, int count, size_t size) {
  if (!is_full(count)) return items;
  void *larger = realloc(items, (count ? 2 * (size_t)count : 8) * size);
  if (!larger) draft->no_memory = true;
  return larger;
}

/* What the program's definition has; a lack of its size is remembered. */
static void take(trm_draft *draft, void *own, size_t full, const void *definition) {
  if (!trm_sized_take(own, full, definition)) draft->no_size = true;
}

static trm_shape_def keep_shape(trm_draft *draft, const trm_shape_def *shape) {
  trm_shape_def copy = *shape;
  copy.file = keep(draft, shape->file);
  copy.points = NULL;
  copy.point_count = 0;
  if (shape->point_count <= 0) return copy;
  const char **points = TRM_NEW(draft->model->arena, const char *, shape->point_count);
  if (!points) draft->no_memory = true;
  for (int i = 0; points && i < shape->point_count; i++)
    points[i] = keep_name(draft, shape->points[i]);
  copy.points = points;
  copy.point_count = points ? shape->point_count : 0;
  return copy;
}

static trm_value keep_value(trm_draft *draft, trm_value value) {
  value.text = keep(draft, value.text);
  return value;
}

const char *trm_draft_keep(trm_draft *draft, const char *text) {
  return keep(draft, text);
}

trm_shape_def trm_draft_keep_shape(trm_draft *draft, const trm_shape_def *shape) {
  return keep_shape(draft, shape);
}

void trm_draft_take(trm_draft *draft, void *own, size_t full, const void *definition) {
  take(draft, own, full, definition);
}

void trm_model_set_name(trm_model *model, const char *name, const char *description) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  model->name = keep_name(draft, name);
  model->description = keep_name(draft, description);
}

void trm_model_set_gravity(trm_model *model, const double gravity[3]) {
  if (draft_of(model)) memcpy(model->gravity, gravity, sizeof model->gravity);
}

void trm_model_set_settings(trm_model *model, const trm_settings *settings) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  /* strings the caller may free; trm_model_finish puts the static ones in their place */
  trm_settings *own = &model->settings;
  *own = trm_default_settings();
  take(draft, own, sizeof *own, settings);
  own->coordinates = keep(draft, own->coordinates);
  own->solver = keep(draft, own->solver);
  own->stabilization = keep(draft, own->stabilization);
  own->weighting = keep(draft, own->weighting);
  own->linear = keep(draft, own->linear);
  own->integrator = keep(draft, own->integrator);
}

void trm_model_set_parameter(trm_model *model, const char *name, double value) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  trm_parameter *values = room(draft, draft->values, draft->value_count, sizeof *values);
  if (!values) return;
  draft->values = values;
  draft->values[draft->value_count++] = (trm_parameter){keep_name(draft, name), value};
}

void trm_model_set_ground_shape(trm_model *model, const trm_shape_def *shape, const char *color) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  model->ground.shape = keep_shape(draft, shape);
  model->ground.color = keep(draft, trm_color_hex(color));
}

void trm_model_add_point(trm_model *model, const char *body, const char *name, const double at[3]) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  trm_point_def *points = room(draft, draft->points, draft->point_count, sizeof *points);
  if (!points) return;
  draft->points = points;
  draft->points[draft->point_count++] =
      (trm_point_def){keep_name(draft, body), keep_name(draft, name), {at[0], at[1], at[2]}};
}

void trm_model_add_body(trm_model *model, const trm_body_def *definition) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  trm_body_def *bodies = room(draft, draft->bodies, draft->body_count, sizeof *bodies);
  if (!bodies) return;
  draft->bodies = bodies;
  trm_body_def *body = &draft->bodies[draft->body_count++];
  *body = no_body;
  take(draft, body, sizeof *body, definition);
  body->name = keep_name(draft, body->name);
  body->shape = keep_shape(draft, &body->shape);
  body->color = keep(draft, trm_color_hex(body->color));
}

static const trm_term_def *keep_terms(trm_draft *draft, const trm_term_def *terms, int count) {
  trm_term_def *copy = TRM_NEW(draft->arena, trm_term_def, count);
  if (!copy) draft->no_memory = true;
  for (int i = 0; copy && i < count; i++)
    copy[i] = (trm_term_def){keep_name(draft, terms[i].measure), terms[i].factor};
  return copy;
}

void trm_model_add_joint(trm_model *model, const trm_joint_def *definition) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  trm_joint_def *joints = room(draft, draft->joints, draft->joint_count, sizeof *joints);
  if (!joints) return;
  draft->joints = joints;
  trm_joint_def *joint = &draft->joints[draft->joint_count++];
  *joint = no_joint;
  take(draft, joint, sizeof *joint, definition);
  joint->name = keep_name(draft, joint->name);
  for (int k = 0; k < 2; k++) joint->connect[k] = keep(draft, joint->connect[k]);
  for (int k = 0; k < 2; k++) joint->joints[k] = keep(draft, joint->joints[k]);
  joint->of = keep(draft, joint->of);
  joint->value = keep_value(draft, joint->value);
  joint->rate = keep_value(draft, joint->rate);
  joint->terms = joint->term_count > 0 ? keep_terms(draft, joint->terms, joint->term_count) : NULL;
}

static void keep_scales(trm_draft *draft, trm_force_def *force) {
  int count = force->scale_count > 0 ? force->scale_count : 0;
  const char **names = TRM_NEW(draft->arena, const char *, count + 1);
  double *scales = TRM_NEW(draft->arena, double, count + 1);
  if (!names || !scales) {
    draft->no_memory = true;
    count = 0;
  }
  for (int k = 0; k < count; k++) {
    names[k] = keep(draft, force->scale_names[k]);
    scales[k] = force->scales[k];
  }
  force->scale_count = count;
  force->scale_names = names;
  force->scales = scales;
}

void trm_model_add_force(trm_model *model, const trm_force_def *definition) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  trm_force_def *forces = room(draft, draft->forces, draft->force_count, sizeof *forces);
  if (!forces) return;
  draft->forces = forces;
  trm_force_def *force = &draft->forces[draft->force_count++];
  *force = no_force;
  take(draft, force, sizeof *force, definition);
  force->name = keep_name(draft, force->name);
  force->of = keep(draft, force->of);
  for (int k = 0; k < 2; k++) force->connect[k] = keep(draft, force->connect[k]);
  for (int k = 0; k < 2; k++) force->between[k] = keep(draft, force->between[k]);
  for (int k = 0; k < 3; k++) force->value[k] = keep_value(draft, force->value[k]);
  for (int k = 0; k < 3; k++) force->torque[k] = keep_value(draft, force->torque[k]);
  force->stiffness = keep_value(draft, force->stiffness);
  force->damping = keep_value(draft, force->damping);
  force->free = keep_value(draft, force->free);
  force->centre = keep(draft, force->centre);
  force->file = keep(draft, force->file);
  keep_scales(draft, force);
}

void trm_model_set_road(trm_model *model, const trm_value *height, const char *grid,
                        const trm_value *friction) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  draft->road_height = height ? keep_value(draft, *height) : (trm_value){0};
  draft->road_friction = friction ? keep_value(draft, *friction) : (trm_value){0};
  draft->road_grid = keep(draft, grid);
}

void trm_model_add_shaft(trm_model *model, const trm_shaft_def *definition) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  trm_shaft_def *shafts = room(draft, draft->shafts, draft->shaft_count, sizeof *shafts);
  if (!shafts) return;
  draft->shafts = shafts;
  trm_shaft_def *shaft = &draft->shafts[draft->shaft_count++];
  *shaft = no_shaft;
  take(draft, shaft, sizeof *shaft, definition);
  shaft->name = keep_name(draft, shaft->name);
}

void trm_model_add_initial(trm_model *model, const char *measure, double value) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  trm_initial_def *initials = room(draft, draft->initials, draft->initial_count, sizeof *initials);
  if (!initials) return;
  draft->initials = initials;
  draft->initials[draft->initial_count++] = (trm_initial_def){keep_name(draft, measure), value};
}

void trm_model_set_start(trm_model *model, trm_start start) {
  if (draft_of(model)) model->start = start;
}

static void add_signal(trm_model *model, trm_signal_kind kind, const char *name,
                       const trm_value *value, const trm_value *initial) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  trm_signal_def *signals = room(draft, draft->signals, draft->signal_count, sizeof *signals);
  if (!signals) return;
  draft->signals = signals;
  draft->signals[draft->signal_count++] =
      (trm_signal_def){kind,
                       keep_name(draft, name),
                       keep_value(draft, *value),
                       initial ? keep_value(draft, *initial) : trm_number(0),
                       0,
                       NULL};
}

void trm_model_add_input(trm_model *model, const char *name, const trm_value *value) {
  add_signal(model, TRM_SIGNAL_INPUT, name, value, NULL);
}

void trm_model_add_input_of(trm_model *model, const char *name, const trm_value *value, int count,
                            const trm_value *arguments) {
  trm_draft *draft = draft_of(model);
  int before = draft ? draft->signal_count : 0;
  trm_model_add_input(model, name, value);
  if (!draft || draft->signal_count == before) return;
  trm_value *kept = TRM_NEW(draft->arena, trm_value, count + 1);
  if (!kept) {
    draft->no_memory = true;
    return;
  }
  for (int i = 0; i < count; i++) kept[i] = keep_value(draft, arguments[i]);
  draft->signals[before].arguments = kept;
  draft->signals[before].argument_count = count;
}

void trm_model_add_variable(trm_model *model, const char *name, const trm_value *value) {
  add_signal(model, TRM_SIGNAL_VARIABLE, name, value, NULL);
}

void trm_model_add_state(trm_model *model, const char *name, const trm_value *initial,
                         const trm_value *rate) {
  add_signal(model, TRM_SIGNAL_STATE, name, rate, initial);
}

void trm_model_add_event(trm_model *model, const trm_event_def *definition) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  trm_event_def *events = room(draft, draft->events, draft->event_count, sizeof *events);
  if (!events) return;
  draft->events = events;
  trm_event_def *event = &draft->events[draft->event_count++];
  *event = no_event;
  take(draft, event, sizeof *event, definition);
  event->name = keep_name(draft, event->name);
  event->when = keep_value(draft, event->when);
  trm_set_def *sets = TRM_NEW(draft->arena, trm_set_def, event->set_count + 1);
  if (!sets) draft->no_memory = true;
  if (!sets) event->set_count = 0;
  for (int k = 0; k < event->set_count; k++)
    sets[k] = (trm_set_def){keep_name(draft, event->sets[k].state),
                            keep_value(draft, event->sets[k].value)};
  event->sets = sets;
}

static void add_output(trm_draft *draft, const char *name, const char *formula) {
  trm_output_def *outputs = room(draft, draft->outputs, draft->output_count, sizeof *outputs);
  if (!outputs) return;
  draft->outputs = outputs;
  outputs[draft->output_count++] = (trm_output_def){keep_name(draft, name), keep(draft, formula)};
  if (formula) draft->formula_count++;
}

void trm_model_add_output(trm_model *model, const char *selection) {
  trm_draft *draft = draft_of(model);
  if (draft) add_output(draft, selection, NULL);
}

void trm_model_add_output_formula(trm_model *model, const char *name, const char *formula) {
  trm_draft *draft = draft_of(model);
  if (draft) add_output(draft, name, formula ? formula : "");
}

void trm_model_set_reference(trm_model *model, const char *file, double tolerance) {
  trm_draft *draft = draft_of(model);
  if (!draft) return;
  model->reference = keep_name(draft, file);
  model->reference_tolerance = tolerance;
}

const char *trm_model_name(const trm_model *model) {
  return model->name;
}

const char *trm_model_description(const trm_model *model) {
  return model->description;
}

trm_space trm_model_space(const trm_model *model) {
  return model->space;
}

int trm_model_body_count(const trm_model *model) {
  return trm_model_placed(model);
}

const char *trm_model_body_name(const trm_model *model, int body) {
  return body >= 0 && body < trm_model_placed(model) ? model->bodies[body].name : NULL;
}

bool trm_model_reference(const trm_model *model, const char **file, double *tolerance) {
  if (!model->reference) return false;
  *file = model->reference;
  *tolerance = model->reference_tolerance;
  return true;
}

const trm_settings *trm_model_settings(const trm_model *model) {
  return &model->settings;
}

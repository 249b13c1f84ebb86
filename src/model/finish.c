/* From definitions to the finished model: the order of the steps, and how each error is reported.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"
#include "model/build.h"

enum { LONGEST_PATH = 512, LONGEST_MESSAGE = 1024 };

void trm_draft_report(trm_draft *draft, trm_severity severity, const trm_subject *subject,
                      const char *key, size_t offset, const char *format, ...) {
  char path[LONGEST_PATH], message[LONGEST_MESSAGE];
  snprintf(path, sizeof path, "%s%s%s%s%s", subject->section, subject->name ? "/" : "",
           subject->name ? subject->name : "", key ? "/" : "", key ? key : "");
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  if (severity == TRM_ERROR) draft->errors++;
  if (subject->name)
    trm_report_path(draft->diagnostics, severity, path, offset, "%s '%.60s'%s", subject->kind,
                    subject->name, message);
  else
    trm_report_path(draft->diagnostics, severity, path, offset, "%s%s", subject->kind, message);
}

void trm_draft_error_at(trm_draft *draft, const char *path, const char *format, ...) {
  char message[LONGEST_MESSAGE];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  draft->errors++;
  trm_report_path(draft->diagnostics, TRM_ERROR, path, 0, "%s", message);
}

/* Table files are looked for beside the model file. */
static const char *folder_of(trm_model *model) {
  const char *slash = strrchr(model->file, '/');
  if (!slash) return NULL;
  size_t length = slash == model->file ? 1 : (size_t)(slash - model->file);
  return trm_arena_substring(model->arena, model->file, length);
}

static bool allocate(trm_draft *draft) {
  trm_model *model = draft->model;
  draft->parameters = trm_map_create(draft->arena);
  draft->inputs = trm_map_create(draft->arena);
  draft->folder = folder_of(model);
  model->bodies = TRM_NEW(model->arena, trm_body, draft->body_count);
  model->joints = TRM_NEW(model->arena, trm_joint, draft->joint_count);
  model->forces = TRM_NEW(model->arena, trm_force, draft->force_count);
  model->events = TRM_NEW(model->arena, trm_event, draft->event_count);
  model->formulas = TRM_NEW(model->arena, trm_output_formula, draft->formula_count);
  if (trm_arena_failed(model->arena) || !draft->parameters || !draft->inputs) return false;
  model->formula_count = draft->formula_count;
  model->event_count = draft->event_count;
  model->body_count = draft->body_count;
  model->joint_count = draft->joint_count;
  model->force_count = draft->force_count;
  /* types first: they say which measures exist, and any formula may name any joint or force */
  for (int i = 0; i < model->joint_count; i++) model->joints[i].type = draft->joints[i].type;
  for (int i = 0; i < model->force_count; i++) model->forces[i].type = draft->forces[i].type;
  return true;
}

/* Their distance; none where only round-off of numbers of this size is left of it. */
static double apart(const double a[3], const double b[3], double size) {
  double d[3];
  trm_sub(3, a, b, d);
  double distance = trm_norm(3, d);
  return distance > 1e-12 * (size + trm_norm(3, a) + trm_norm(3, b)) ? distance : 0;
}

#define MANY 1000 /* joints of a body: of more not all pairs are looked at */

static const double *place_of(const trm_model *model, int end) {
  return model->joints[end / 2].end[end % 2].u;
}

/* The largest distance between joints and centre of mass of one body: whatever frames the bodies
 * are described in. Of a body with very many joints, from the one that is farthest from its centre
 * of mass. */
static double largest_body(trm_draft *draft) {
  const trm_model *model = draft->model;
  int ends = 2 * model->joint_count, bodies = model->body_count;
  int *last = TRM_NEW(draft->arena, int, 3 * bodies + 1),
      *before = TRM_NEW(draft->arena, int, ends + 1);
  double *radius = TRM_NEW(draft->arena, double, bodies + 1), largest = 0;
  if (!last || !before || !radius) return 0;
  int *count = last + bodies, *farthest = count + bodies; /* ends are counted from one */
  for (int i = 0; i < ends; i++) {
    int b = model->joints[i / 2].end[i % 2].body;
    if (b == TRM_GROUND) continue;
    double distance =
        apart(place_of(model, i), model->bodies[b].com, trm_norm(3, model->bodies[b].position));
    if (!(distance <= radius[b])) radius[b] = distance, farthest[b] = i + 1;
    largest = fmax(largest, distance);
    before[i] = last[b];
    last[b] = i + 1;
    count[b]++;
  }
  for (int i = 0; i < ends; i++) {
    int b = model->joints[i / 2].end[i % 2].body;
    if (b == TRM_GROUND) continue;
    double size = trm_norm(3, model->bodies[b].position);
    if (count[b] > MANY && farthest[b] > 0)
      largest = fmax(largest, apart(place_of(model, i), place_of(model, farthest[b] - 1), size));
    for (int k = before[i]; k > 0 && count[b] <= MANY; k = before[k - 1])
      largest = fmax(largest, apart(place_of(model, i), place_of(model, k - 1), size));
  }
  return largest;
}

static void centre_of(const trm_body *body, double r[3]) {
  for (int k = 0; k < 3; k++) r[k] = body->position[k] + trm_dot(3, body->R + 3 * k, body->com);
}

/* The ball around the middle of all centres of mass that reaches them. */
static double spread_of_bodies(const trm_model *model) {
  int bodies = trm_model_placed(model);
  double middle[3] = {0, 0, 0}, r[3], radius = 0;
  for (int i = 0; i < bodies; i++) {
    centre_of(&model->bodies[i], r);
    trm_axpy(3, 1.0 / bodies, r, middle);
  }
  for (int i = 0; i < bodies; i++) {
    centre_of(&model->bodies[i], r);
    radius = fmax(radius, apart(r, middle, trm_norm(3, model->bodies[i].com)));
  }
  return 2 * radius;
}

static double characteristic_length(trm_draft *draft) {
  double length = largest_body(draft);
  if (!(length > 0)) length = spread_of_bodies(draft->model);
  return length > 0 ? length : 1;
}

/* In place of the copies that the model's own settings hold. */
static void use_static_names(trm_settings *settings) {
  settings->coordinates = trm_method_name("coordinates", settings->coordinates);
  settings->solver = trm_method_name("solver", settings->solver);
  settings->stabilization = trm_method_name("stabilization", settings->stabilization);
  settings->weighting = trm_method_name("weighting", settings->weighting);
  settings->linear = trm_method_name("linear", settings->linear);
  settings->integrator = trm_method_name("integrator", settings->integrator);
}

static void check_settings(trm_draft *draft) {
  if (trm_settings_check(&draft->model->settings, draft->diagnostics) != TRM_OK)
    draft->errors++;
  else
    use_static_names(&draft->model->settings);
}

static void check_reference(trm_draft *draft) {
  trm_model *model = draft->model;
  const char *file = model->reference;
  if (!file) return;
  double tolerance = model->reference_tolerance;
  if (!file[0])
    trm_draft_error_at(draft, "reference/file", "reference: the name of the file is empty");
  if (!(tolerance > 0) || !isfinite(tolerance))
    trm_draft_error_at(draft, "reference/tolerance",
                       "reference: tolerance is %g, it must be positive", tolerance);
  if (file[0] == '/' || !draft->folder) return;
  size_t size = strlen(draft->folder) + strlen(file) + 2;
  char *path = trm_arena_alloc(model->arena, size, 1);
  if (path) snprintf(path, size, "%s/%s", draft->folder, file);
  if (!path) draft->no_memory = true;
  model->reference = path;
}

/* A bushing that holds two points far apart is rarely meant. */
static void note_stretched(trm_draft *draft) {
  const trm_model *model = draft->model;
  for (int i = 0; i < model->force_count; i++) {
    const trm_force *force = &model->forces[i];
    if (force->type != TRM_FORCE_BUSHING) continue;
    double apart = trm_distance_as_written(model, force->end);
    const trm_subject subject = {"forces", "force", force->name};
    if (apart >= model->length)
      trm_draft_report(draft, TRM_NOTE, &subject, "connect", 0,
                       ": as written its points are %.3g apart, as far as a body is long: the "
                       "bushing starts stretched by that",
                       apart);
  }
}

static void mark(const trm_model *model, bool *held, int body) {
  if (body >= 0 && body < model->body_count) held[body] = true;
}

/* In a mechanism a body that nothing holds was probably forgotten. */
static void note_loose(trm_draft *draft) {
  const trm_model *model = draft->model;
  bool *held = TRM_NEW(draft->arena, bool, model->body_count + 1);
  if (!held) {
    draft->no_memory = true;
    return;
  }
  for (int i = 0; i < model->joint_count; i++) {
    const trm_joint *joint = &model->joints[i];
    for (int k = 0; k < 2; k++) mark(model, held, joint->end[k].body);
    for (int k = 0; k < joint->term_count; k++) mark(model, held, joint->terms[k].measure.index);
  }
  for (int i = 0; i < model->force_count; i++)
    for (int k = 0; k < 2; k++) mark(model, held, model->forces[i].end[k].body);
  for (int i = 0; i < trm_model_placed(model) && model->joint_count > 0; i++) {
    const trm_subject subject = {"bodies", "body", model->bodies[i].name};
    if (!held[i])
      trm_draft_report(draft, TRM_NOTE, &subject, NULL, 0,
                       ": no joint and no force holds it, it flies freely");
  }
}

static void build(trm_draft *draft) {
  check_settings(draft);
  if (!draft->user) trm_draft_shafts(draft);
  if (!allocate(draft) || !trm_draft_index(draft)) {
    draft->no_memory = true;
    return;
  }
  if (draft->user) {
    trm_draft_user(draft);
    if (!draft->model->user || draft->no_memory) return;
  } else {
    trm_draft_bodies(draft);
    trm_draft_joints(draft);
    trm_draft_forces(draft);
    trm_draft_road(draft);
    trm_draft_signals(draft);
    trm_draft_events(draft);
    trm_draft_scenery(draft);
  }
  trm_draft_initials(draft);
  trm_draft_outputs(draft);
  check_reference(draft);
  if (draft->errors > 0 || draft->user) return;
  draft->model->length = characteristic_length(draft);
  if (!draft->model->file[0]) return; /* a program knows what it builds */
  note_stretched(draft);
  note_loose(draft);
}

static trm_status conclude(trm_model *model) {
  trm_draft *draft = model->draft;
  trm_status status = draft->errors ? TRM_BAD_MODEL : TRM_OK;
  if (draft->no_memory) {
    status = TRM_NO_MEMORY;
    trm_report(draft->diagnostics, TRM_ERROR, "out of memory while building the model");
  }
  if (draft->no_size) {
    status = TRM_BAD_USAGE;
    trm_report(draft->diagnostics, TRM_ERROR,
               "a definition has no size: begin with trm_default_body() or its like");
  }
  model->finished = status == TRM_OK;
  trm_draft_destroy(model);
  return status;
}

trm_status trm_model_finish(trm_model *model, trm_diagnostics *diagnostics) {
  if (!model || !model->draft) {
    trm_report(diagnostics, TRM_ERROR, model ? "the model is finished already" : "no model given");
    return TRM_BAD_USAGE;
  }
  trm_draft *draft = model->draft;
  draft->diagnostics = diagnostics;
  if (!draft->no_memory && !draft->no_size) build(draft);
  return conclude(model);
}

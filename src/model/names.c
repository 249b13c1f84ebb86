/* Names: one name, one thing. Registers all of them, finds them, suggests the one that was meant.
 */
#include "model/build.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const char *const reserved[] = {"ground", "energy", "constraint", "momentum", "t", "pi"};
static const char *const kinds[] = {[TRM_ITEM_BODY] = "body",
                                    [TRM_ITEM_JOINT] = "joint",
                                    [TRM_ITEM_FORCE] = "force",
                                    [TRM_ITEM_EVENT] = "event",
                                    [TRM_ITEM_OUTPUT] = "output"};
static const char *const sections[] = {[TRM_ITEM_BODY] = "bodies",
                                       [TRM_ITEM_JOINT] = "joints",
                                       [TRM_ITEM_FORCE] = "forces",
                                       [TRM_ITEM_EVENT] = "events",
                                       [TRM_ITEM_OUTPUT] = "outputs"};
static const char *const signal_sections[] = {"inputs", "variables", "states"};

bool trm_is_reserved(const char *name) {
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    if (strcmp(name, reserved[i]) == 0) return true;
  return false;
}

static void check_name(trm_draft *draft, const trm_subject *subject, const char *key,
                       const char *name) {
  if (!trm_is_name(name, strlen(name)))
    TRM_DRAFT_ERROR(
        draft, subject, key,
        ": '%.60s' is no name; names are letters, digits and '_', starting with a letter", name);
}

static void check_reserved(trm_draft *draft, const trm_subject *subject) {
  if (trm_is_reserved(subject->name))
    TRM_DRAFT_ERROR(
        draft, subject, NULL,
        ": this name is reserved, as are ground, energy, constraint, momentum, t and pi");
}

static bool is_shaft(const trm_model *model, trm_item item) {
  return item.kind == TRM_ITEM_JOINT && model->joints[item.index].type == TRM_JOINT_SHAFT;
}

const char *trm_item_kind_name(const trm_model *model, trm_item item) {
  if (is_shaft(model, item)) return "shaft";
  if (item.kind != TRM_ITEM_SIGNAL) return kinds[item.kind];
  return trm_signal_kind_name(model->signals[item.index].kind);
}

static const char *section_name(const trm_model *model, trm_item item) {
  if (is_shaft(model, item)) return "shafts";
  if (item.kind != TRM_ITEM_SIGNAL) return sections[item.kind];
  return signal_sections[model->signals[item.index].kind];
}

bool trm_index_find(const trm_model *model, const char *name, size_t length, trm_item *item) {
  int code = trm_map_get(model->index->items, name, length);
  if (code < 0) return false;
  *item = (trm_item){(trm_item_kind)(code % TRM_ITEM_KINDS), code / TRM_ITEM_KINDS};
  return true;
}

int trm_index_point(const trm_model *model, const char *text, size_t length) {
  return trm_map_get(model->index->points, text, length);
}

static void add_name(trm_draft *draft, trm_item item, const char *name) {
  trm_index *index = draft->model->index;
  const trm_model *model = draft->model;
  const trm_subject subject = {section_name(model, item), trm_item_kind_name(model, item), name};
  trm_item other;
  bool known = trm_index_find(model, name, strlen(name), &other);
  /* first of all: messages about a name are located by it */
  if (!known &&
      !trm_map_put(index->items, name, strlen(name), TRM_ITEM_KINDS * item.index + (int)item.kind))
    draft->no_memory = true;
  check_name(draft, &subject, NULL, name);
  check_reserved(draft, &subject);
  const char *kind = known ? trm_item_kind_name(model, other) : NULL;
  if (known && strcmp(kind, subject.kind) == 0)
    TRM_DRAFT_ERROR(draft, &subject, NULL, " is defined twice");
  else if (known)
    TRM_DRAFT_ERROR(
        draft, &subject, NULL,
        ": there is a%s %s of this name; bodies, joints, forces, shafts, signals and events share "
        "one name space, with formulas of outputs",
        strchr("ieo", kind[0]) ? "n" : "", kind);
  if ((item.kind == TRM_ITEM_SIGNAL || item.kind == TRM_ITEM_EVENT ||
       item.kind == TRM_ITEM_OUTPUT) &&
      trm_map_get(draft->parameters, name, strlen(name)) >= 0)
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": there is a parameter of this name");
}

static void add_names(trm_draft *draft) {
  trm_model *model = draft->model;
  const char **names = model->index->names;
  static const char *const before[TRM_NAMES_BEFORE_BODIES] = {"energy", "momentum", "constraint",
                                                              "ground"};
  for (int i = 0; i < TRM_NAMES_BEFORE_BODIES; i++) *names++ = before[i];
  for (int i = 0; i < model->body_count; i++) {
    *names++ = model->bodies[i].name = draft->bodies[i].name;
    if (i < trm_model_placed(model)) /* a shaft is named by its joint */
      add_name(draft, (trm_item){TRM_ITEM_BODY, i}, draft->bodies[i].name);
  }
  for (int i = 0; i < model->joint_count; i++) {
    *names++ = model->joints[i].name = draft->joints[i].name;
    add_name(draft, (trm_item){TRM_ITEM_JOINT, i}, draft->joints[i].name);
  }
  for (int i = 0; i < model->force_count; i++) {
    *names++ = model->forces[i].name = draft->forces[i].name;
    add_name(draft, (trm_item){TRM_ITEM_FORCE, i}, draft->forces[i].name);
  }
  for (int i = 0; i < model->signal_count; i++) {
    *names++ = model->signals[i].name;
    add_name(draft, (trm_item){TRM_ITEM_SIGNAL, i}, model->signals[i].name);
  }
  for (int i = 0; i < model->event_count; i++) {
    *names++ = model->events[i].name = draft->events[i].name;
    add_name(draft, (trm_item){TRM_ITEM_EVENT, i}, draft->events[i].name);
  }
  for (int i = 0, k = 0; i < draft->output_count; i++) {
    if (!draft->outputs[i].formula) continue;
    *names++ = model->formulas[k].name = draft->outputs[i].name;
    add_name(draft, (trm_item){TRM_ITEM_OUTPUT, k++}, draft->outputs[i].name);
  }
  model->index->name_count = (int)(names - model->index->names);
}

/* Points mostly come body by body: the last body, or the next, is the one. */
static trm_body *body_of_point(trm_draft *draft, const trm_point_def *point, int *last) {
  trm_model *model = draft->model;
  trm_item item;
  for (int i = *last; i < trm_model_placed(model) && i <= *last + 1; i++)
    if (strcmp(point->body, model->bodies[i].name) == 0) return &model->bodies[*last = i];
  if (strcmp(point->body, "ground") == 0) return &model->ground;
  if (trm_index_find(model, point->body, strlen(point->body), &item) && item.kind == TRM_ITEM_BODY)
    return &model->bodies[*last = item.index];
  return NULL;
}

/* How many points each body has, and room for them. */
static bool count_points(trm_draft *draft) {
  trm_model *model = draft->model;
  int last = 0;
  for (int i = 0; i < draft->point_count; i++) {
    trm_body *body = body_of_point(draft, &draft->points[i], &last);
    if (body) body->point_count++;
  }
  for (int i = -1; i < model->body_count; i++) {
    trm_body *body = i < 0 ? &model->ground : &model->bodies[i];
    body->points = TRM_NEW(model->arena, trm_point, body->point_count);
    if (!body->points) return false;
    body->point_count = 0;
  }
  return true;
}

const char *trm_join(trm_arena *arena, const char *a, size_t length, const char *b) {
  size_t rest = strlen(b);
  char *text = trm_arena_alloc(arena, length + rest + 2, 1);
  if (!text) return NULL;
  memcpy(text, a, length);
  text[length] = '.';
  memcpy(text + length + 1, b, rest);
  return text;
}

static void add_point(trm_draft *draft, const trm_point_def *point, int *last) {
  trm_model *model = draft->model;
  trm_body *body = body_of_point(draft, point, last);
  bool ground = body == &model->ground;
  trm_subject subject = {"bodies", "body", point->body};
  if (ground) subject = (trm_subject){"ground", "ground", NULL};
  char key[256], hint[128];
  snprintf(key, sizeof key, "points/%s", point->name);
  if (!body) {
    trm_suggest_item(model, TRM_ITEM_BODY, point->body, strlen(point->body), hint, sizeof hint);
    TRM_DRAFT_ERROR(draft, &subject, key, ": point '%s' of an unknown body%s", point->name, hint);
    return;
  }
  const char *full = trm_join(model->arena, point->body, strlen(point->body), point->name);
  bool known = full && trm_index_point(model, full, strlen(full)) >= 0;
  if (!full ||
      (!known && !trm_map_put(model->index->points, full, strlen(full), body->point_count))) {
    draft->no_memory = true;
    return;
  }
  if (known) TRM_DRAFT_ERROR(draft, &subject, key, ": point '%s' is defined twice", point->name);
  body->points[body->point_count++] =
      (trm_point){point->name, {point->at[0], point->at[1], point->at[2]}};
  check_name(draft, &subject, key, point->name);
  if (!ground && trm_is_body_measure(model, point->name, strlen(point->name)))
    TRM_DRAFT_ERROR(draft, &subject, key,
                    ": a point may not be called '%s', which is a measure of its body",
                    point->name);
  trm_draft_vector(draft, &subject, key, point->at);
}

/* P.x of a vector is called by the name before its dot. */
static void check_parameter(trm_draft *draft, const trm_subject *subject) {
  size_t length = strlen(subject->name);
  const char *dot = length > 2 ? subject->name + length - 2 : "";
  bool component = dot[0] == '.' && dot[1] >= 'x' && dot[1] <= 'z';
  const char *name =
      component ? trm_arena_substring(draft->arena, subject->name, length - 2) : subject->name;
  if (!name) {
    draft->no_memory = true;
    return;
  }
  const trm_subject own = {subject->section, subject->kind, name};
  if (component && dot[1] != 'x') return; /* said of the first */
  check_name(draft, &own, NULL, name);
  check_reserved(draft, &own);
}

/* Parameters: the last value of a name counts, `--set` comes after the file. */
static bool add_parameters(trm_draft *draft) {
  trm_model *model = draft->model;
  model->parameters = TRM_NEW(model->arena, trm_parameter, draft->value_count);
  draft->parameter_names = TRM_NEW(draft->arena, const char *, draft->value_count);
  if (!model->parameters || !draft->parameter_names) return false;
  for (int i = 0; i < draft->value_count; i++) {
    const char *name = draft->values[i].name;
    const trm_subject subject = {"parameters", "parameter", name};
    int k = trm_map_get(draft->parameters, name, strlen(name));
    if (k < 0) {
      k = model->parameter_count++;
      check_parameter(draft, &subject);
      if (!trm_map_put(draft->parameters, name, strlen(name), k)) return false;
    }
    model->parameters[k] = draft->values[i];
    draft->parameter_names[k] = name;
    trm_draft_finite(draft, &subject, NULL, draft->values[i].value);
  }
  return true;
}

/* P.x must not mean a vector and a measure. */
static void check_vectors(trm_draft *draft) {
  const trm_model *model = draft->model;
  for (int i = 0; i < model->parameter_count; i++) {
    const char *name = model->parameters[i].name;
    size_t length = strlen(name);
    trm_item item;
    if (length < 3 || strcmp(name + length - 2, ".x") != 0) continue;
    if (!trm_index_find(model, name, length - 2, &item)) continue;
    const char *own = trm_arena_substring(draft->arena, name, length - 2);
    const trm_subject subject = {section_name(model, item), trm_item_kind_name(model, item), own};
    if (own)
      TRM_DRAFT_ERROR(draft, &subject, NULL,
                      ": there is a vector parameter of this name, and %.60s would mean both",
                      name);
    else
      draft->no_memory = true;
  }
}

bool trm_draft_index(trm_draft *draft) {
  trm_model *model = draft->model;
  int things = model->body_count + model->joint_count + model->force_count + draft->signal_count +
               draft->event_count + draft->formula_count;
  trm_index *index = model->index = TRM_NEW(model->arena, trm_index, 1);
  if (!index) return false;
  index->items = trm_map_create(model->arena);
  index->points = trm_map_create(model->arena);
  index->names = TRM_NEW(model->arena, const char *, things + TRM_NAMES_BEFORE_BODIES);
  if (!index->items || !index->points || !index->names || !add_parameters(draft)) return false;
  if (!trm_map_reserve(index->items, (size_t)things) ||
      !trm_map_reserve(index->points, (size_t)draft->point_count))
    return false;
  if (!trm_draft_declare_signals(draft)) return false;
  add_names(draft);
  check_vectors(draft);
  if (!count_points(draft)) return false;
  int last = 0;
  for (int i = 0; i < draft->point_count; i++) add_point(draft, &draft->points[i], &last);
  return !draft->no_memory;
}

void trm_suggest(const trm_model *model, const char *word, size_t length, const char *const *names,
                 int count, char *text, size_t size) {
  enum { LONGEST_WORD = 64, MOST_COMPARED = 2000000 };
  char copy[LONGEST_WORD + 1];
  text[0] = '\0';
  trm_draft *draft = model->draft;
  if (length > LONGEST_WORD || (draft && draft->compared > MOST_COMPARED)) return;
  memcpy(copy, word, length);
  copy[length] = '\0';
  if (draft) draft->compared += count;
  const char *best = trm_nearest(copy, names, count);
  if (best) snprintf(text, size, ", did you mean '%s'?", best);
}

void trm_suggest_item(const trm_model *model, trm_item_kind kind, const char *word, size_t length,
                      char *text, size_t size) {
  const char *const *names = model->index->names + TRM_NAMES_BEFORE_BODIES;
  if (kind == TRM_ITEM_BODY) /* ground stands before the bodies */
    trm_suggest(model, word, length, names - 1, trm_model_placed(model) + 1, text, size);
  else if (kind == TRM_ITEM_JOINT)
    trm_suggest(model, word, length, names + model->body_count, model->joint_count, text, size);
  else
    trm_suggest(model, word, length, names + model->body_count + model->joint_count,
                model->force_count, text, size);
}

void trm_list_points(const trm_body *body, char *text, size_t size) {
  enum { MOST = 10 }; /* a ground may have thousands */
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < body->point_count && i < MOST && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", body->points[i].name);
  if (body->point_count > MOST && used < size) snprintf(text + used, size - used, ", …");
}

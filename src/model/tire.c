/* Tires: the wheel, its axis, and the property file, which wheels share. */
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "tire/tire.h"

/* The path from the working directory. */
static const char *path_of(trm_draft *draft, const char *file) {
  if (file[0] == '/' || !draft->folder) return file;
  size_t size = strlen(draft->folder) + strlen(file) + 2;
  char *path = trm_arena_alloc(draft->model->arena, size, 1);
  if (path) snprintf(path, size, "%s/%s", draft->folder, file);
  return path;
}

static void destroy_tire(void *tire) {
  trm_tire_destroy(tire);
}

/* From the shelf, or onto it. Where something was said of a file, that is to be said again. */
static const trm_tire *find(trm_model *model, const char *path, trm_diagnostics *diagnostics,
                            bool *shared, trm_status *status) {
  const trm_tire *kept = trm_shelf_get(model->shelf, TRM_SHELF_TIRE, path);
  int before = trm_diagnostics_count(diagnostics);
  *shared = true;
  *status = TRM_OK;
  if (kept) return kept;
  trm_tire *tire = trm_tire_load(path, diagnostics, status);
  bool silent = trm_diagnostics_count(diagnostics) == before;
  *shared = tire && silent && trm_shelf_is_open(model->shelf, TRM_SHELF_TIRE);
  if (!*shared || trm_shelf_put(model->shelf, TRM_SHELF_TIRE, path, tire, destroy_tire))
    return tire;
  *status = TRM_NO_MEMORY;
  return NULL;
}

/* Each file is read once; its messages have their places in it. */
static const trm_tire *load(trm_draft *draft, const trm_subject *subject, const char *file) {
  trm_model *model = draft->model;
  const char *path = path_of(draft, file);
  for (int i = 0; path && i < model->tire_count; i++)
    if (strcmp(model->tires[i].path, path) == 0) return model->tires[i].tire;
  trm_tire_file *tires = trm_grow(model->arena, model->tires, model->tire_count, sizeof *tires);
  if (!path || !tires) {
    draft->no_memory = true;
    return NULL;
  }
  trm_status status;
  trm_tire_file *entry = &tires[model->tire_count];
  model->tires = tires;
  *entry = (trm_tire_file){.path = path};
  const trm_tire *tire = find(model, path, draft->diagnostics, &entry->shared, &status);
  entry->tire = tire;
  model->tire_count++;
  if (status == TRM_NO_MEMORY)
    draft->no_memory = true;
  else if (!tire)
    TRM_DRAFT_ERROR(draft, subject, "file",
                    ": '%.200s' is no tire that can be used: see its errors", file);
  return tire;
}

/* "tires/van.tir LMUX=0.8", exact; NULL: no memory. */
static const char *name_scaled(trm_draft *draft, const trm_force_def *definition,
                               const char *path) {
  size_t size = strlen(path) + 1, used = 0;
  for (int i = 0; i < definition->scale_count; i++) size += strlen(definition->scale_names[i]) + 40;
  char *name = trm_arena_alloc(draft->arena, size, 1);
  if (name) used = (size_t)snprintf(name, size, "%s", path);
  for (int i = 0; name && i < definition->scale_count; i++)
    used += (size_t)snprintf(name + used, size - used, " %s=%.17g", definition->scale_names[i],
                             definition->scales[i]);
  return name;
}

/* A tire of its own beside that of the file: from the shelf, or onto it; NULL: no memory, or the
 * reason is there. */
static const trm_tire *make_scaled(trm_draft *draft, const trm_force_def *definition,
                                   const trm_tire *tire, const char *name, bool *shared, int *wrong,
                                   char *reason, size_t size) {
  trm_shelf *shelf = draft->model->shelf;
  const trm_tire *kept = trm_shelf_get(shelf, TRM_SHELF_TIRE, name);
  *shared = true;
  if (kept) return kept;
  trm_tire *scaled = trm_tire_scaled(tire, definition->scale_count, definition->scale_names,
                                     definition->scales, wrong, reason, size);
  *shared = scaled && trm_shelf_is_open(shelf, TRM_SHELF_TIRE);
  if (!*shared || trm_shelf_put(shelf, TRM_SHELF_TIRE, name, scaled, destroy_tire)) return scaled;
  return NULL;
}

static const trm_tire *scale(trm_draft *draft, const trm_subject *subject,
                             const trm_force_def *definition, const trm_tire *tire) {
  trm_model *model = draft->model;
  char reason[240], key[80];
  int wrong = -1;
  if (!tire || definition->scale_count == 0) return tire;
  const char *path = path_of(draft, definition->file);
  const char *name = path ? name_scaled(draft, definition, path) : NULL;
  trm_tire_file *tires = trm_grow(model->arena, model->tires, model->tire_count, sizeof *tires);
  trm_tire_file entry = {.path = ""};
  if (tires) model->tires = tires;
  if (name && tires)
    entry.tire =
        make_scaled(draft, definition, tire, name, &entry.shared, &wrong, reason, sizeof reason);
  if (entry.tire) tires[model->tire_count++] = entry;
  if (!entry.tire && wrong < 0) draft->no_memory = true;
  if (entry.tire || wrong < 0) return entry.tire;
  snprintf(key, sizeof key, "scale/%.60s", definition->scale_names[wrong]);
  TRM_DRAFT_ERROR(draft, subject, key, ": %s", reason);
  return NULL;
}

static void place_wheel(trm_draft *draft, const trm_subject *subject,
                        const trm_force_def *definition, trm_force *force) {
  trm_side side = {definition->connect[0], "wheel", NULL};
  if (!side.text) {
    TRM_DRAFT_ERROR(draft, subject, NULL, ": wheel is missing");
  } else if (strchr(side.text, '.')) {
    TRM_DRAFT_ERROR(draft, subject, "wheel",
                    ": '%s' is no body: wheel names the body, centre its point", side.text);
  } else if (trm_draft_end(draft, subject, &side, &force->end[0])) {
    if (force->end[0].body == TRM_GROUND)
      TRM_DRAFT_ERROR(draft, subject, "wheel", ": the ground does not roll, wheel names a body");
    side.key = "centre";
    side.text = definition->centre
                    ? trm_join(draft->arena, side.text, strlen(side.text), definition->centre)
                    : side.text;
    if (!side.text)
      draft->no_memory = true;
    else if (definition->centre)
      trm_draft_end(draft, subject, &side, &force->end[0]);
  }
}

void trm_draft_tire(trm_draft *draft, const trm_force_def *definition, trm_force *force) {
  const trm_subject subject = {"forces", "force", definition->name};
  static const double left[3] = {0, 1, 0};
  if (draft->model->space == TRM_PLANAR || draft->model->embedded) {
    TRM_DRAFT_ERROR(draft, &subject, "type", ": a tire needs space: spatial, this model is planar");
    return;
  }
  place_wheel(draft, &subject, definition, force);
  trm_draft_direction(draft, &subject, "axis", definition->axis_given ? definition->axis : left,
                      force->axis);
  force->side = definition->side;
  if (force->side != TRM_TIRE_LEFT && force->side != TRM_TIRE_RIGHT)
    TRM_DRAFT_ERROR(draft, &subject, "side", ": a tire is on the left or on the right side");
  if (!definition->file)
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": file is missing, the tire's property file (.tir)");
  else
    force->tire = scale(draft, &subject, definition, load(draft, &subject, definition->file));
}

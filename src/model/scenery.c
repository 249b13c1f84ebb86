/* What stands on the ground and how it is looked at: for pictures only. */
#include <string.h>

#include "base/sized.h"
#include "model/build.h"

static const trm_scenery_def no_scenery = {.name = "", .orientation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

void trm_scenery_init(trm_scenery_def *defaults, size_t size) {
  trm_sized_give(defaults, size, &no_scenery, sizeof no_scenery);
}

static const double (*keep_path(trm_draft *draft, const double (*path)[3], int count))[3] {
  double(*copy)[3] = trm_arena_alloc(draft->model->arena, (size_t)count + 1, sizeof *copy);
  if (!copy) draft->no_memory = true;
  if (copy && count > 0) memcpy(copy, path, (size_t)count * sizeof *copy);
  return (const double(*)[3])copy;
}

void trm_model_add_scenery(trm_model *model, const trm_scenery_def *definition) {
  trm_draft *draft = model ? model->draft : NULL;
  if (!draft) return;
  trm_scenery_def *list =
      trm_grow(draft->arena, draft->scenery, draft->scenery_count, sizeof *list);
  if (!list) {
    draft->no_memory = true;
    return;
  }
  draft->scenery = list;
  trm_scenery_def *thing = &list[draft->scenery_count++];
  *thing = no_scenery;
  trm_draft_take(draft, thing, sizeof *thing, definition);
  thing->name = trm_draft_keep(draft, thing->name ? thing->name : "");
  thing->color = trm_draft_keep(draft, trm_color_hex(thing->color));
  thing->shape = trm_draft_keep_shape(draft, &thing->shape);
  thing->path = keep_path(draft, thing->path, thing->path_count);
}

void trm_model_set_view(trm_model *model, const char *follow, const double from[3], bool forces) {
  trm_draft *draft = model ? model->draft : NULL;
  if (!draft) return;
  model->view.forces = forces;
  draft->follow = trm_draft_keep(draft, follow);
  double *copy = from ? TRM_NEW(draft->arena, double, 3) : NULL;
  if (from && !copy) draft->no_memory = true;
  if (copy) memcpy(copy, from, 3 * sizeof *copy);
  draft->from = copy;
}

/* The points of the ground that a rod or path names. */
static void find_path(trm_draft *draft, const trm_subject *subject, trm_scenery *thing) {
  const trm_body *ground = &draft->model->ground;
  int count = thing->shape.point_count;
  thing->path = trm_arena_alloc(draft->model->arena, (size_t)count + 1, sizeof *thing->path);
  if (!thing->path) {
    draft->no_memory = true;
    return;
  }
  for (int i = 0; i < count; i++) {
    const char *name = thing->shape.points[i], *full = trm_join(draft->arena, "ground", 6, name);
    int point = full ? trm_index_point(draft->model, full, strlen(full)) : -1;
    if (point >= 0) {
      memcpy(thing->path[thing->path_count++], ground->points[point].u, sizeof *thing->path);
      continue;
    }
    char list[256];
    trm_list_points(ground, list, sizeof list);
    TRM_DRAFT_ERROR(draft, subject, NULL, ": ground has no point '%.60s'%s%s", name,
                    ground->point_count ? "; its points are " : "; it has no points", list);
  }
}

static void add_thing(trm_draft *draft, const trm_scenery_def *definition, trm_scenery *thing) {
  const trm_subject subject = {"ground/shapes", "shape", definition->name};
  *thing = (trm_scenery){.name = definition->name,
                         .color = definition->color,
                         .shape = definition->shape,
                         .path_count = definition->path_count};
  memcpy(thing->position, definition->position, sizeof thing->position);
  for (int k = 0; k < 3; k++) trm_draft_finite(draft, &subject, "at", definition->position[k]);
  trm_draft_orientation(draft, &subject, definition->orientation, thing->R);
  thing->path = (double(*)[3])definition->path;
  if (thing->shape.point_count > 0) find_path(draft, &subject, thing);
}

static void set_view(trm_draft *draft) {
  static const trm_subject subject = {"view", "view", NULL};
  trm_view *view = &draft->model->view;
  if (draft->follow) {
    const trm_side side = {draft->follow, "follow", NULL};
    view->follows = trm_draft_end(draft, &subject, &side, &view->follow);
  }
  if (draft->from)
    view->directed = trm_draft_direction(draft, &subject, "from", draft->from, view->from);
}

void trm_draft_scenery(trm_draft *draft) {
  trm_model *model = draft->model;
  model->scenery = TRM_NEW(model->arena, trm_scenery, draft->scenery_count);
  if (!model->scenery) {
    draft->no_memory = true;
    return;
  }
  for (int i = 0; i < draft->scenery_count; i++)
    add_thing(draft, &draft->scenery[i], &model->scenery[model->scenery_count++]);
  set_view(draft);
}

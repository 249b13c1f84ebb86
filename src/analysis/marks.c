/* Keeping marks of a run. Every number of a mark is a measure, so any formulation gives the same.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/simulation.h"
#include "model/user.h"

#define MOST_NUMBERS 4000000L /* of all marks: 32 MB */
#define FEWEST_MARKS 5
#define MOST_MARKS   500

void trm_simulation_keep_marks(trm_simulation *sim) {
  sim->marks.wanted = true;
}

void trm_marks_free(trm_marks *marks) {
  free(marks->measures);
  free(marks->t);
  free(marks->values);
  *marks = (trm_marks){.wanted = marks->wanted, .all = marks->all};
}

static int width_of(const trm_model *model) {
  if (model->user) return model->user->n;
  return (model->dim == 2 ? 3 : 7) * trm_model_placed(model) + model->shaft_count;
}

/* Shafts are the last bodies, on the last joints. */
static void list_measures(trm_marks *marks, const trm_model *model) {
  trm_measure *next = marks->measures;
  int first_shaft = model->joint_count - model->shaft_count;
  for (int i = 0; model->user && i < model->user->n; i++)
    *next++ = (trm_measure){.kind = TRM_MEASURE_COORDINATE, .index = i};
  for (int i = 0; !model->user && i < trm_model_placed(model); i++)
    next = trm_measures_add_pose(next, i, model->dim);
  for (int i = 0; !model->user && i < model->shaft_count; i++)
    *next++ = (trm_measure){.kind = TRM_MEASURE_FREEDOM, .index = first_shaft + i};
  trm_measures_group(marks->measures, marks->width);
}

bool trm_marks_lay_out(trm_simulation *sim) {
  trm_marks *marks = &sim->marks;
  const trm_model *model = sim->engine->model;
  trm_marks_free(marks);
  marks->width = width_of(model);
  if (!marks->wanted || marks->width == 0) return true;
  long rows = trm_grid_rows(&sim->grid), most = MOST_NUMBERS / marks->width;
  if (most < FEWEST_MARKS) most = FEWEST_MARKS;
  if (most > MOST_MARKS) most = MOST_MARKS;
  marks->last_row = rows - 1;
  marks->every = rows > most && !marks->all ? (rows - 2) / (most - 1) + 1 : 1;
  marks->capacity = (int)(rows / marks->every) + 2;
  marks->measures = calloc((size_t)marks->width, sizeof *marks->measures);
  marks->t = calloc((size_t)marks->capacity, sizeof *marks->t);
  marks->values = calloc((size_t)marks->capacity * (size_t)marks->width, sizeof *marks->values);
  if (!marks->measures || !marks->t || !marks->values) return false;
  list_measures(marks, model);
  return true;
}

void trm_marks_row(trm_simulation *sim, double t) {
  trm_marks *marks = &sim->marks;
  if (marks->capacity == 0) return;
  bool wanted = marks->rows % marks->every == 0 || marks->rows == marks->last_row;
  marks->rows++;
  if (!wanted || marks->count == marks->capacity) return;
  trm_engine_measures(sim->engine, marks->measures, marks->width,
                      marks->values + (size_t)marks->count * (size_t)marks->width);
  marks->t[marks->count++] = t;
}

void trm_marks_name(const trm_model *model, const trm_measure *measure, char *text, size_t size) {
  static const char *const places[] = {"x", "y", "z"}, *const turns[] = {"qw", "qx", "qy", "qz"};
  const char *part = "angle";
  if (measure->kind == TRM_MEASURE_COORDINATE) {
    snprintf(text, size, "%s", model->user->names[measure->index]);
    return;
  }
  if (measure->kind == TRM_MEASURE_POINT) part = places[measure->component];
  if (measure->kind == TRM_MEASURE_ORIENTATION) part = turns[measure->component];
  snprintf(text, size, "%s.%s",
           measure->kind == TRM_MEASURE_FREEDOM ? model->joints[measure->index].name
                                                : model->bodies[measure->index].name,
           part);
}

/* Keeping frames. Every number of a frame is a measure, so any formulation gives the same film. */
#include <stdlib.h>

#include "analysis/simulation.h"

#define MOST_NUMBERS  2000000L /* of a film: 8 MB before compression */
#define FEWEST_FRAMES 60

const char *const trm_film_series[TRM_FILM_SERIES] = {"energy.kinetic",      "energy.potential",
                                                      "energy.work",         "energy.error",
                                                      "constraint.position", "constraint.velocity"};

void trm_simulation_keep_frames(trm_simulation *sim, int most) {
  sim->film.most = most;
}

void trm_film_free(trm_film *film) {
  free(film->reactions);
  free(film->measures);
  free(film->t);
  free(film->exact);
  free(film->values);
  *film = (trm_film){.most = film->most};
}

static trm_measure *add_pose(trm_measure *next, int body, int dim) {
  for (int k = 0; k < dim; k++)
    *next++ =
        (trm_measure){.kind = TRM_MEASURE_POINT, .index = body, .end = {body, {0}}, .component = k};
  if (dim == 2) *next++ = (trm_measure){.kind = TRM_MEASURE_ANGLE, .index = body};
  for (int k = 0; dim == 3 && k < 4; k++)
    *next++ = (trm_measure){.kind = TRM_MEASURE_ORIENTATION, .index = body, .component = k};
  return next;
}

static trm_measure *add_reaction(trm_measure *next, int joint, int dim) {
  for (int k = 0; k < dim; k++)
    *next++ =
        (trm_measure){.kind = TRM_MEASURE_REACTION, .index = joint, .component = k, .level = 2};
  return next;
}

static void list_measures(trm_film *film, const trm_model *model) {
  trm_measure *next = film->measures;
  for (int i = 0; i < trm_model_placed(model); i++) next = add_pose(next, i, model->dim);
  for (int i = 0; i < film->reaction_count; i++)
    next = add_reaction(next, film->reactions[i], model->dim);
  static const int energies[] = {0, 1, 3, 4};
  for (int k = 0; k < 4; k++)
    *next++ = (trm_measure){.kind = TRM_MEASURE_ENERGY, .component = energies[k]};
  for (int k = 0; k < 2; k++)
    *next++ = (trm_measure){.kind = TRM_MEASURE_CONSTRAINT, .component = k, .level = k};
  trm_measures_group(film->measures, film->width);
}

/* Fewer frames where there are many bodies: the eye does not miss them. */
static long choose_capacity(const trm_film *film, long rows) {
  long capacity = MOST_NUMBERS / film->width;
  if (capacity < FEWEST_FRAMES) capacity = FEWEST_FRAMES;
  if (capacity > film->most) capacity = film->most;
  if (capacity < 2) capacity = 2;
  return capacity < rows ? capacity : rows;
}

bool trm_film_lay_out(trm_simulation *sim) {
  trm_film *film = &sim->film;
  const trm_model *model = sim->engine->model;
  trm_film_free(film);
  if (film->most <= 0) return true;
  film->reactions = calloc((size_t)model->joint_count + 1, sizeof *film->reactions);
  if (!film->reactions) return false;
  for (int i = 0; i < model->joint_count; i++)
    if (trm_joint_has_reaction(model->joints[i].type)) film->reactions[film->reaction_count++] = i;
  film->pose = model->dim == 2 ? 3 : 7;
  film->force = model->dim;
  film->width =
      film->pose * trm_model_placed(model) + film->force * film->reaction_count + TRM_FILM_SERIES;
  long rows = trm_grid_rows(&sim->grid), capacity = choose_capacity(film, rows);
  film->last_row = rows - 1;
  film->stride = rows > capacity ? (rows - 2) / (capacity - 1) + 1 : 1;
  film->capacity = (int)capacity + 2; /* the last row, the state before a failure */
  film->measures = calloc((size_t)film->width, sizeof *film->measures);
  film->t = calloc((size_t)film->capacity, sizeof *film->t);
  film->exact = calloc((size_t)film->width, sizeof *film->exact);
  film->values = calloc((size_t)film->capacity * (size_t)film->width, sizeof *film->values);
  if (!film->measures || !film->t || !film->exact || !film->values) return false;
  list_measures(film, model);
  return true;
}

static void shoot(trm_simulation *sim, double t) {
  trm_film *film = &sim->film;
  if (film->count >= film->capacity) return;
  float *frame = film->values + (size_t)film->count * (size_t)film->width;
  trm_engine_measures(sim->engine, film->measures, film->width, film->exact);
  for (int i = 0; i < film->width; i++) frame[i] = (float)film->exact[i];
  film->t[film->count++] = t;
}

void trm_film_row(trm_simulation *sim, double t) {
  trm_film *film = &sim->film;
  if (film->capacity == 0) return;
  if (film->rows % film->stride == 0 || film->rows == film->last_row) shoot(sim, t);
  film->rows++;
}

void trm_film_end(trm_simulation *sim, double t) {
  const trm_film *film = &sim->film;
  if (film->count > 0 && film->t[film->count - 1] < t) shoot(sim, t);
}

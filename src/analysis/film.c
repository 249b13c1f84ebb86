/* Keeping frames. Every number of a frame is a measure, so any formulation gives the same film. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/simulation.h"
#include "tire/wheel.h"

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
  free(film->arrows);
  free(film->sources);
  free(film->read);
  free(film->measures);
  free(film->t);
  free(film->exact);
  free(film->values);
  *film = (trm_film){.most = film->most};
}

static trm_measure *add_reaction(trm_measure *next, int joint, int dim) {
  for (int k = 0; k < dim; k++)
    *next++ =
        (trm_measure){.kind = TRM_MEASURE_REACTION, .index = joint, .component = k, .level = 2};
  return next;
}

enum { SOURCES = 7, OTHER = 3, EFFORT = 6 };

static void add_place(trm_measure *to, const trm_end *end, int dim) {
  for (int k = 0; k < dim; k++)
    to[k] =
        (trm_measure){.kind = TRM_MEASURE_POINT, .index = end->body, .end = *end, .component = k};
}

static bool find_measure(const trm_model *model, const char *force, const char *field,
                         trm_measure *measure) {
  char name[256], reason[256];
  int length = snprintf(name, sizeof name, "%s.%s", force, field);
  return length < (int)sizeof name &&
         trm_measure_find(model, name, (size_t)length, measure, reason, sizeof reason);
}

/* Of a tire: the force on the wheel at the contact point. */
static void add_contact(trm_measure *to, int index) {
  for (int k = 0; k < 3; k++) {
    to[k] = (trm_measure){
        .kind = TRM_MEASURE_TIRE, .index = index, .component = TRM_WHEEL_X + k, .level = 1};
    to[OTHER + k] =
        (trm_measure){.kind = TRM_MEASURE_WRENCH, .index = index, .component = k, .level = 2};
  }
}

/* What an arrow is made of: components where the element has them, else a tension. */
static bool add_arrow(const trm_model *model, int index, trm_film_arrow *arrow, trm_measure *to) {
  static const char *const components[] = {"fx", "fy", "fz"};
  const trm_force *force = &model->forces[index];
  int found = 0;
  for (int k = 0; k < SOURCES; k++) to[k] = (trm_measure){.kind = TRM_MEASURE_TIME};
  *arrow = (trm_film_arrow){.force = index, .sign = 1};
  if (force->type == TRM_FORCE_TIRE) {
    add_contact(to, index);
    return true;
  }
  while (found < model->dim &&
         find_measure(model, force->name, components[found], &to[OTHER + found]))
    found++;
  bool alone = force->type == TRM_FORCE_FORCE;
  add_place(to, &force->end[alone ? 0 : 1], model->dim);
  if (found == model->dim) return true;
  if (force->joint >= 0 || !find_measure(model, force->name, "force", &to[EFFORT])) return false;
  arrow->pull = true;
  if (force->type == TRM_FORCE_ACTUATOR) arrow->sign = -1; /* pushes where it is positive */
  add_place(to + OTHER, &force->end[0], model->dim);
  return true;
}

static bool list_arrows(trm_film *film, const trm_model *model) {
  size_t count = (size_t)model->force_count + 1;
  film->arrows = calloc(count, sizeof *film->arrows);
  film->sources = calloc(SOURCES * count, sizeof *film->sources);
  film->read = calloc(SOURCES * count, sizeof *film->read);
  if (!film->arrows || !film->sources || !film->read) return false;
  for (int i = 0; i < model->force_count; i++) {
    int k = film->arrow_count;
    film->arrow_count += add_arrow(model, i, &film->arrows[k], film->sources + SOURCES * (size_t)k);
  }
  trm_measures_group(film->sources, SOURCES * film->arrow_count);
  return true;
}

/* Place and components: of the force on the second, or on the only one. */
static void draw_arrow(const trm_film_arrow *arrow, const double *read, int dim, double *to) {
  double length = 0;
  for (int k = 0; k < dim; k++) length += (read[OTHER + k] - read[k]) * (read[OTHER + k] - read[k]);
  length = sqrt(length);
  for (int k = 0; k < dim; k++) {
    double along = length > 0 ? (read[OTHER + k] - read[k]) / length : 0;
    to[k] = read[k];
    to[dim + k] = arrow->pull ? arrow->sign * read[EFFORT] * along : read[OTHER + k];
  }
}

static void list_measures(trm_film *film, const trm_model *model) {
  trm_measure *next = film->measures;
  for (int i = 0; i < trm_model_placed(model); i++)
    next = trm_measures_add_pose(next, i, model->dim);
  for (int i = 0; i < film->reaction_count; i++)
    next = add_reaction(next, film->reactions[i], model->dim);
  for (int k = 0; k < 2 * model->dim * film->arrow_count; k++)
    *next++ = (trm_measure){.kind = TRM_MEASURE_TIME}; /* filled in by draw_arrow */
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
    if (trm_model_has_reaction(model, &model->joints[i]))
      film->reactions[film->reaction_count++] = i;
  if (!list_arrows(film, model)) return false;
  film->pose = model->dim == 2 ? 3 : 7;
  film->force = model->dim;
  film->first_arrow = film->pose * trm_model_placed(model) + film->force * film->reaction_count;
  film->width = film->first_arrow + 2 * film->force * film->arrow_count + TRM_FILM_SERIES;
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

static void record_frame(trm_simulation *sim, double t) {
  trm_film *film = &sim->film;
  if (film->count >= film->capacity) return;
  float *frame = film->values + (size_t)film->count * (size_t)film->width;
  trm_engine_measures(sim->engine, film->measures, film->width, film->exact);
  trm_engine_measures(sim->engine, film->sources, SOURCES * film->arrow_count, film->read);
  for (int i = 0; i < film->arrow_count; i++)
    draw_arrow(&film->arrows[i], film->read + SOURCES * (size_t)i, film->force,
               film->exact + film->first_arrow + 2 * film->force * i);
  for (int i = 0; i < film->width; i++) frame[i] = (float)film->exact[i];
  film->t[film->count++] = t;
}

void trm_film_row(trm_simulation *sim, double t) {
  trm_film *film = &sim->film;
  if (film->capacity == 0) return;
  if (film->rows % film->stride == 0 || film->rows == film->last_row) record_frame(sim, t);
  film->rows++;
}

void trm_film_end(trm_simulation *sim, double t) {
  const trm_film *film = &sim->film;
  if (film->count > 0 && film->t[film->count - 1] < t) record_frame(sim, t);
}

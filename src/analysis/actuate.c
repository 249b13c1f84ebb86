/* What drivers do, done by actuators of choice: efforts u along measures s with
 *
 *     Zᵀ Σ u ∂s/∂q = −Zᵀ Σ Cqᵀ λ of the drivers,
 *
 * Z the motions that all other constraints allow. Of more actuators than needed the efforts of
 * least norm; of too few those that leave least, and what is left. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <trammel/analysis.h>

#include "analysis/independent.h"
#include "analysis/simulation.h"
#include "base/flush.h"
#include "math/lapack.h"
#include "math/serial.h"

#define RANK 1e-10 /* of the actuators' effects */

typedef struct actuation {
  trm_engine *engine;
  trm_manifold *m;
  int count;
  trm_measure *along;  /* [count] */
  trm_null_space free; /* without the drivers */
  double *f, *row;     /* [n] what the drivers do */
  double *A, *kept, *b, *work;
  int *pivot;
} actuation;

/* A measure, or what has a freedom or a length. */
static bool find(const trm_model *model, const char *name, trm_measure *along) {
  static const char *const ends[] = {"", ".angle", ".displacement", ".length"};
  char text[512], reason[512];
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    snprintf(text, sizeof text, "%.400s%s", name, ends[i]);
    if (trm_measure_find(model, text, strlen(text), along, reason, sizeof reason) &&
        along->level == 0)
      return true;
  }
  return false;
}

/* row [n] = ∂s/∂q; false: it is nothing along which an actuator may act. */
static bool effect(actuation *a, const trm_measure *along, double *row) {
  const trm_system *sys = a->m->system;
  if (along->kind != TRM_MEASURE_ELEMENT) return trm_measure_row(sys, a->m->tangent, along, row);
  const trm_scalar *s = sys->elements[along->index].scalar;
  if (!s || sys->elements[along->index].against) return false;
  memset(row, 0, (size_t)sys->n * sizeof(double));
  double *first =
      s->kind == TRM_SCALAR_COMPONENT ? NULL : trm_body_rows(&sys->motion, row, s->end[0].body);
  trm_scalar_gradient(s, &sys->motion, 1, first, trm_body_rows(&sys->motion, row, s->end[1].body));
  return true;
}

static bool is_driver(const trm_system *sys, int row) {
  int group = trm_system_row_group(sys, row);
  return group >= 0 && !sys->generic && sys->model->joints[group].type == TRM_JOINT_DRIVER;
}

/* Rows of all constraints but the drivers. */
static int fill_rows(actuation *a) {
  const trm_system *sys = a->m->system;
  const trm_structure *s = &sys->structure;
  int n = a->m->n, count = 0, *at = a->pivot;
  memset(a->free.A, 0, (size_t)a->free.most * (size_t)n * sizeof(double));
  for (int r = 0; r < a->m->m; r++) at[r] = is_driver(sys, r) ? -1 : count++;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b);
    const double *row = sys->Cq + s->panel_value[b];
    for (int k = s->panel_start[b]; k < s->panel_start[b + 1]; k++, row += width)
      if (at[s->panel_row[k]] >= 0)
        memcpy(a->free.A + (size_t)at[s->panel_row[k]] * (size_t)n + s->q_start[b], row,
               (size_t)width * sizeof(double));
  }
  for (int i = 0; i < s->massless; i++) {
    if (!a->m->tangent->kept[i]) continue;
    int b = s->massless_block[i];
    memcpy(a->free.A + (size_t)count++ * (size_t)n + s->q_start[b], sys->N + s->massless_value[i],
           (size_t)trm_block_width(s, b) * sizeof(double));
  }
  return count;
}

static double along_basis(const actuation *a, int j, const double *x) {
  const double *Z = a->free.Z + (size_t)j * (size_t)a->m->n;
  double sum = 0;
  for (int i = 0; i < a->m->n; i++) sum += Z[i] * x[i];
  return sum;
}

/* What the drivers do, at the manifold's state. */
static bool find_need(actuation *a) {
  trm_manifold *m = a->m;
  if (!trm_manifold_evaluate(m, m->t, m->q, m->v) || !trm_manifold_accelerate(m)) return false;
  for (int r = 0; r < m->m; r++) m->g[r] = is_driver(m->system, r) ? m->lambda[r] : 0;
  memset(a->f, 0, (size_t)m->n * sizeof(double));
  trm_jacobian_transposed_add(&m->system->structure, m->system->Cq, -1, m->g, a->f);
  trm_null_space_factor(&a->free, fill_rows(a));
  return true;
}

static bool create(actuation *a, trm_simulation *sim, int count) {
  *a = (actuation){.engine = sim->engine, .m = trm_manifold_create(sim->engine), .count = count};
  if (!a->m) return false;
  trm_arena *arena = a->m->arena;
  int n = a->m->n, rows = a->m->m + a->m->system->structure.massless;
  int larger = n > count ? n : count;
  size_t cells = (size_t)n * (size_t)(count + 1);
  a->along = TRM_NEW(arena, trm_measure, count + 1);
  a->f = TRM_NEW(arena, double, n + 1);
  a->row = TRM_NEW(arena, double, n + 1);
  a->A = TRM_NEW(arena, double, cells + 1);
  a->kept = TRM_NEW(arena, double, cells + 1);
  a->b = TRM_NEW(arena, double, 2 * larger + 2);
  a->work = TRM_NEW(arena, double, 70 * larger + 70);
  a->pivot = TRM_NEW(arena, int, rows + larger + 1);
  return !trm_arena_failed(arena) &&
         trm_null_space_create(&a->free, arena, n, rows + 1, a->m->system->span);
}

/* The driver along which most is left: r [dim] in the basis. */
static const char *worst_driver(actuation *a, const double *r) {
  const trm_model *model = a->engine->model;
  const char *worst = NULL;
  double most = 0;
  for (int d = 0; d < model->joint_count; d++) {
    const trm_joint *joint = &model->joints[d];
    if (joint->type != TRM_JOINT_DRIVER || joint->term_count < 1) continue;
    trm_measure of = joint->terms[0].measure;
    double sum = 0, size = 0;
    if (!effect(a, &of, a->row)) continue;
    for (int j = 0; j < a->free.dim; j++) {
      double part = along_basis(a, j, a->row);
      sum += part * r[j];
      size += part * part;
    }
    if (size > 0 && fabs(sum) / sqrt(size) > most)
      most = fabs(sum) / sqrt(size), worst = joint->name;
  }
  return worst;
}

static trm_status solve(actuation *a, double *efforts, double *left, const char **worst,
                        const char *const *names, trm_diagnostics *diagnostics) {
  int rows = a->free.dim, columns = a->count, one = 1, rank, info;
  int larger = rows > columns ? rows : columns, room = 70 * larger + 70;
  double rcond = RANK, largest = 0, *need = a->b + larger + 1;
  for (int k = 0; k < columns; k++) {
    if (!effect(a, &a->along[k], a->row)) {
      trm_report(diagnostics, TRM_ERROR,
                 "actuator '%s': it is no freedom, length or coordinate along which an actuator "
                 "may act",
                 names[k]);
      return TRM_BAD_USAGE;
    }
    for (int j = 0; j < rows; j++)
      a->A[(size_t)k * (size_t)rows + (size_t)j] = along_basis(a, j, a->row);
  }
  memcpy(a->kept, a->A, (size_t)rows * (size_t)columns * sizeof(double));
  memset(a->b, 0, (size_t)larger * sizeof(double));
  for (int j = 0; j < rows; j++) {
    a->b[j] = need[j] = along_basis(a, j, a->f);
    largest = fmax(largest, fabs(need[j]));
  }
  memset(a->pivot, 0, (size_t)columns * sizeof(int));
  if (rows > 0 && columns > 0)
    dgelsy_(&rows, &columns, &one, a->A, &rows, a->b, &larger, a->pivot, &rcond, &rank, a->work,
            &room, &info);
  memcpy(efforts, a->b, (size_t)columns * sizeof(double));
  *left = 0;
  for (int j = 0; j < rows; j++) {
    for (int k = 0; k < columns; k++)
      need[j] -= a->kept[(size_t)k * (size_t)rows + (size_t)j] * efforts[k];
    *left = fmax(*left, fabs(need[j]));
  }
  *left = largest > 0 ? *left / largest : 0;
  *worst = worst_driver(a, need);
  return TRM_OK;
}

static trm_status work(actuation *a, const char *const *names, double *efforts, double *left,
                       const char **worst, trm_diagnostics *diagnostics) {
  for (int k = 0; k < a->count; k++)
    if (!find(a->engine->model, names[k], &a->along[k])) {
      trm_report(diagnostics, TRM_ERROR,
                 "actuator '%s': there is no such freedom, length or coordinate", names[k]);
      return TRM_BAD_USAGE;
    }
  if (find_need(a)) return solve(a, efforts, left, worst, names, diagnostics);
  trm_report(diagnostics, TRM_ERROR, "%s", a->m->system->error);
  return TRM_FAILED;
}

trm_status trm_simulation_actuate(trm_simulation *sim, const char *const *actuators, int count,
                                  double *efforts, double *left, const char **worst,
                                  trm_diagnostics *diagnostics) {
  actuation a;
  unsigned before = trm_flush_begin();
  trm_serial_begin();
  trm_status status = create(&a, sim, count)
                          ? work(&a, actuators, efforts, left, worst, diagnostics)
                          : TRM_NO_MEMORY;
  trm_manifold_destroy(a.m);
  trm_engine_return(sim->engine);
  trm_serial_end();
  trm_flush_set(before);
  if (status == TRM_NO_MEMORY) trm_report(diagnostics, TRM_ERROR, "out of memory");
  return status;
}

/* The frame that a steady motion goes with. */
#include "analysis/steady.h"

#include <string.h>

#include "integrator/saddle.h"
#include "math/lapack.h"
#include "math/rotation.h"

/* out += p ∘ σ/2 of Euler parameters, or the axes turned about themselves: R σ̂ */
static void add_spin(const trm_coordinates *co, const double *x, const double s[3], double *out) {
  if (co->natural) {
    for (int k = 0; k < 3; k++) { /* (σ × e_k) in the axes */
      const double unit[3] = {k == 0, k == 1, k == 2};
      double cross[3];
      trm_cross(s, unit, cross);
      for (int l = 0; l < 3; l++) trm_axpy(3, cross[l], x + 3 + 3 * l, out + 3 + 3 * k);
    }
    return;
  }
  trm_quaternion_spin(x + 3, s, out + 3);
}

/* constant: with what does not depend on x */
static void apply(const trm_steady *st, const trm_system *sys, const double *x, bool constant,
                  double *out) {
  if (sys->spanning) {
    trm_steady_joints(st, sys, x, constant, out);
    return;
  }
  const trm_coordinates *co = sys->motion.coordinates;
  static const double nothing[TRM_MOST_NQ];
  int placed = trm_model_placed(sys->model);
  for (int b = 0; b < sys->motion.bodies; b++) {
    const double *xb = x + b * co->nq, *s = st->spin[b];
    double at[3] = {xb[0], xb[1], co->dim == 3 ? xb[2] : 0}, v[3], plain[TRM_MOST_NQ];
    double *to = out + b * co->nq, w[3] = {st->w[0], st->w[1], st->w[2]};
    if (b >= placed) w[0] = w[1] = w[2] = 0; /* shafts have no place */
    trm_cross(w, at, v);
    if (constant && b < placed) trm_axpy(3, 1, st->u, v);
    if (co->dim == 2) w[2] += s[2]; /* in the plane both are one */
    co->from_twist(xb, v, w, to);
    if (!constant) { /* an angle turns alike wherever it is */
      co->from_twist(nothing, (double[3]){0}, w, plain);
      for (int k = co->dim; k < co->nq; k++) to[k] -= plain[k];
    }
    if (co->dim == 3) add_spin(co, xb, s, to);
  }
}

void trm_steady_turn(const trm_steady *st, const trm_system *sys, const double *x, double *out) {
  memset(out, 0, (size_t)sys->n * sizeof(double));
  if (!sys->generic) apply(st, sys, x, false, out);
}

void trm_steady_velocity(const trm_steady *st, const trm_system *sys, const double *q,
                         double *out) {
  if (sys->generic)
    memcpy(out, st->rate, (size_t)sys->n * sizeof(double));
  else
    apply(st, sys, q, true, out);
}

/* G has a block a body: one coordinate of each at a time gives a column of all. */
void trm_steady_pull(const trm_steady *st, const trm_system *sys, const double *f, double *work,
                     double *out) {
  int bodies = sys->generic ? 0 : sys->motion.bodies, first, width, widest = 0;
  double *x = work, *Gx = x + sys->n;
  memset(out, 0, (size_t)sys->n * sizeof(double));
  for (int k = 0; k == 0 || k < widest; k++) {
    memset(x, 0, (size_t)sys->n * sizeof(double));
    for (int b = 0; b < bodies; b++) {
      trm_steady_block(sys, b, &first, &width);
      if (width > widest) widest = width;
      if (k < width) x[first + k] = 1;
    }
    trm_steady_turn(st, sys, x, Gx);
    for (int b = 0; b < bodies; b++) {
      trm_steady_block(sys, b, &first, &width);
      for (int i = first; i < first + width && k < width; i++) out[first + k] += Gx[i] * f[i];
    }
  }
}

/* --- from a state --- */

typedef struct body_motion {
  double x[3], v[3], a[3], w[3], alpha[3];
} body_motion;

static void read_body(const trm_system *sys, int b, body_motion *m) {
  *m = (body_motion){0};
  const trm_frame *f = &sys->motion.frames[b];
  int dim = sys->motion.dim;
  memcpy(m->x, f->x, (size_t)dim * sizeof(double));
  memcpy(m->v, f->v, (size_t)dim * sizeof(double));
  trm_measure of_centre = {.kind = TRM_MEASURE_POINT, .index = b, .level = 2};
  of_centre.end.body = b;
  memcpy(of_centre.end.u, sys->model->bodies[b].com, sizeof of_centre.end.u);
  for (of_centre.component = 0; of_centre.component < dim; of_centre.component++)
    m->a[of_centre.component] = trm_system_measure(sys, &of_centre);
  trm_spin(&sys->motion, b, m->w);
  for (int k = 0; k < 3; k++) {
    const trm_measure alpha = {.kind = dim == 2 ? TRM_MEASURE_ANGLE : TRM_MEASURE_ORIENTATION,
                               .index = b,
                               .component = dim == 2 ? 0 : k,
                               .level = 2};
    if (dim == 3 || k == 2) m->alpha[k] = trm_system_measure(sys, &alpha);
  }
  if (dim == 2) m->w[0] = m->w[1] = 0;
}

/* Axes about which the world looks the same: all without gravity, else the vertical one. */
int trm_turning_axes(const trm_model *model, double axis[3][3]) {
  double g = trm_norm(3, model->gravity);
  memset(axis, 0, 9 * sizeof(double));
  if (model->dim == 2) {
    axis[0][2] = 1;
    return g > 0 ? 0 : 1;
  }
  for (int k = 0; k < 3; k++) axis[k][k] = 1;
  if (g == 0) return 3;
  for (int k = 0; k < 3; k++) axis[0][k] = model->gravity[k] / g;
  return 1;
}

/* Across gravity: along it energy would come and go. */
int trm_moving_ways(const trm_model *model, double way[3][3]) {
  double g = trm_norm(3, model->gravity), *e = way[0], *f = way[1];
  memset(way, 0, 9 * sizeof(double));
  for (int k = 0; k < 3; k++) way[k][k] = 1;
  if (g == 0) return model->dim;
  double n[3];
  for (int k = 0; k < 3; k++) n[k] = model->gravity[k] / g;
  if (model->dim == 2) {
    e[0] = -n[1];
    e[1] = n[0];
    return 1;
  }
  int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0
              : fabs(n[1]) <= fabs(n[2])                           ? 1
                                                                   : 2;
  for (int k = 0; k < 3; k++) e[k] = (k == least) - n[least] * n[k];
  double size = trm_norm(3, e);
  for (int k = 0; k < 3; k++) e[k] /= size;
  trm_cross(n, e, f);
  return 2;
}

#define SLIGHT 1e-7 /* weight of accelerations: they decide what velocities leave open */

/* What accelerations are multiplied by, as large as they may be in a state that is not steady. */
static double slight(const trm_system *sys, const body_motion *body, int count) {
  double fastest = 0, hardest = 0;
  for (int i = 0; i < count; i++) {
    fastest = fmax(fastest, fmax(trm_norm(3, body[i].v), trm_norm(3, body[i].w) * sys->size));
    hardest = fmax(hardest, fmax(trm_norm(3, body[i].a), trm_norm(3, body[i].alpha) * sys->size));
  }
  hardest = fmax(hardest, fastest * fastest / sys->size); /* not of round-off */
  return hardest > 0 ? SLIGHT * fastest / hardest : SLIGHT;
}

/* v = u + ω × x; a = ω × v, α = ω × ω_b: least squares over all bodies */
static bool fit(trm_steady *st, trm_manifold *m, const body_motion *body, int count) {
  const trm_model *model = m->system->model;
  double axis[3][3], way[3][3], rcond = 1e-10, weight = slight(m->system, body, count);
  int turns = trm_turning_axes(model, axis), ways = trm_moving_ways(model, way);
  int unknowns = turns + ways, rows = 9 * count, one = 1;
  int pivot[6] = {0}, rank, info, room = 4 * (rows + 64);
  double *A = TRM_NEW(m->arena, double, (size_t)rows *(size_t)unknowns + 1);
  double *b = TRM_NEW(m->arena, double, rows + 8), *work = TRM_NEW(m->arena, double, room);
  if (!A || !b || !work) return false;
  for (int i = 0; i < count; i++) {
    const double *of[3] = {body[i].x, body[i].v, body[i].w};
    const double *is[3] = {body[i].v, body[i].a, body[i].alpha};
    for (int part = 0; part < 3; part++) {
      double scale = part == 0 ? 1 : part == 1 ? weight : weight * m->system->size;
      int row = 9 * i + 3 * part;
      for (int j = 0; j < turns; j++) {
        double cross[3];
        trm_cross(axis[j], of[part], cross);
        for (int k = 0; k < 3; k++)
          A[(size_t)j * (size_t)rows + (size_t)(row + k)] = scale * cross[k];
      }
      for (int j = 0; j < ways && part == 0; j++)
        for (int k = 0; k < 3; k++)
          A[(size_t)(turns + j) * (size_t)rows + (size_t)(row + k)] = way[j][k];
      for (int k = 0; k < 3; k++) b[row + k] = scale * is[part][k];
    }
  }
  if (count > 0)
    dgelsy_(&rows, &unknowns, &one, A, &rows, b, &rows, pivot, &rcond, &rank, work, &room, &info);
  for (int j = 0; j < turns; j++) trm_axpy(3, b[j], axis[j], st->w);
  for (int j = 0; j < ways; j++) trm_axpy(3, b[turns + j], way[j], st->u);
  return true;
}

static void take_spins(trm_steady *st, const trm_system *sys, int count) {
  const trm_motion *motion = &sys->motion;
  for (int b = 0; b < motion->bodies; b++) {
    double w[3] = {0, 0, 0};
    trm_spin(motion, b, w);
    if (motion->dim == 2) w[0] = w[1] = 0;
    if (b < count) trm_axpy(3, -1, st->w, w);
    for (int k = 0; k < 3; k++)
      st->spin[b][k] = motion->dim == 2 ? w[k] : trm_dot(3, motion->frames[b].a[k], w);
  }
}

double trm_steady_misfit(const trm_steady *st, trm_manifold *m) {
  const trm_system *sys = m->system;
  double *Gq = m->force, *Gv = m->product, off[2] = {0, 0}, size[2] = {0, 0};
  trm_steady_velocity(st, sys, m->q, Gq);
  trm_steady_turn(st, sys, m->v, Gv);
  for (int i = 0; i < m->n; i++) {
    size[0] = fmax(size[0], fabs(m->v[i]) / sys->span[i]);
    size[1] = fmax(size[1], fmax(fabs(m->a[i]), fabs(Gv[i])) / sys->span[i]);
    off[0] = fmax(off[0], fabs(m->v[i] - Gq[i]) / sys->span[i]);
    off[1] = fmax(off[1], fabs(m->a[i] - Gv[i]) / sys->span[i]);
  }
  size[1] = fmax(size[1], size[0] * size[0]);
  trm_steady_slip(st, sys, st->slip);
  for (int i = 0; i < trm_steady_slips(sys); i++) off[0] = fmax(off[0], fabs(st->slip[i]));
  double worst = 0;
  for (int k = 0; k < 2; k++)
    if (off[k] > 0) worst = fmax(worst, off[k] / size[k]);
  for (int k = 0; k < m->states; k++)
    worst = fmax(worst, fabs(m->a[m->n + k]) / fmax(1, fabs(m->v[m->n + k])));
  return worst;
}

bool trm_steady_create(trm_steady *st, trm_manifold *m) {
  int bodies = m->system->generic ? 0 : m->system->motion.bodies;
  *st = (trm_steady){0};
  st->spin = trm_arena_alloc(m->arena, (size_t)bodies + 1, sizeof *st->spin);
  st->rate = TRM_NEW(m->arena, double, m->n);
  st->slip = TRM_NEW(m->arena, double, trm_steady_slips(m->system) + 1);
  return st->spin && st->rate && st->slip;
}

bool trm_steady_find(trm_steady *st, trm_manifold *m, double *off) {
  trm_system *sys = m->system;
  int count = trm_model_placed(sys->model);
  if (!trm_steady_create(st, m)) return false;
  if (sys->generic) {
    memcpy(st->rate, m->v, (size_t)m->n * sizeof(double));
    *off = trm_steady_misfit(st, m);
    return true;
  }
  body_motion *body = TRM_NEW(m->arena, body_motion, count + 1);
  if (!body) return false;
  take_spins(st, sys, count);
  *off = trm_steady_misfit(st, m);
  if (*off <= 1e-9) return true; /* bodies that spin in their places */
  trm_system_find_motion(sys);
  for (int b = 0; b < count; b++) read_body(sys, b, &body[b]);
  if (!fit(st, m, body, count)) return false;
  take_spins(st, sys, count);
  *off = trm_steady_misfit(st, m);
  return true;
}

/* --- sums --- */

void trm_steady_add(trm_steady *to, double scale, const trm_steady *by, const trm_system *sys) {
  int bodies = sys->generic ? 0 : sys->motion.bodies;
  trm_axpy(3, scale, by->u, to->u);
  trm_axpy(3, scale, by->w, to->w);
  if (sys->generic) trm_axpy(sys->n, scale, by->rate, to->rate);
  for (int b = 0; b < bodies; b++) trm_axpy(3, scale, by->spin[b], to->spin[b]);
}

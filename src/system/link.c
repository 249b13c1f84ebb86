/* Joints in natural coordinates: no frames, no calls, a cache line each. */
#include "system/link.h"

#include "base/parallel.h"
#include "system/link_ends.h"
#include "system/rotation_driver.h"

#include <string.h>

/* ---- compilation ---- */

/* Nothing of it changes with time, and it touches the bodies of its ends once each. */
static bool is_plain(const trm_system *sys, int i, const trm_marker end[2]) {
  const trm_primitive *p = &sys->primitives[i];
  int touched = (end[0].body >= 0) + (end[1].body >= 0);
  return sys->motion.coordinates->natural && !sys->law[i] && !sys->rate_only[i] && p->rate == 0 &&
         p->acceleration == 0 && end[0].body != end[1].body && p->bodies == touched;
}

static bool is_point(const trm_system *sys, int i) {
  const trm_primitive *p = &sys->primitives[i];
  return p->type == &trm_primitive_position && is_plain(sys, i, p->end);
}

static bool is_dot(const trm_system *sys, int i) {
  const trm_primitive *p = &sys->primitives[i];
  return p->type == &trm_primitive_dot && is_plain(sys, i, p->direction);
}

static void set_ends(const trm_system *sys, const trm_marker end[2], int at[2], double u[2][3]) {
  for (int side = 0; side < 2; side++) {
    at[side] = end[side].body < 0 ? -1 : end[side].body * sys->motion.nq;
    memcpy(u[side], end[side].u, sizeof end[side].u);
  }
}

static void add_point(trm_system *sys, const trm_primitive *p) {
  trm_point_link *link = &sys->links->point[sys->links->points++];
  link->row = p->row;
  set_ends(sys, p->end, link->at, link->u);
}

static void add_dot(trm_system *sys, const trm_primitive *p) {
  trm_dot_link *link = &sys->links->dot[sys->links->dots++];
  link->row = p->row;
  link->value = p->value;
  set_ends(sys, p->direction, link->at, link->u);
}

static int side_count(const trm_system *sys, int i) {
  return is_point(sys, i) ? 1 : sys->primitives[i].rows;
}

/* start[body + 1] runs from the body's start to its end. */
static void place_sides(const trm_system *sys, int i, int body) {
  const trm_sides *sides = &sys->links->sides;
  const trm_primitive *p = &sys->primitives[i];
  ptrdiff_t at = sides->start[body + 1], dim = sys->motion.dim;
  bool point = is_point(sys, i), dot = is_dot(sys, i);
  sides->start[body + 1] += side_count(sys, i);
  if (!point && !dot) {
    sides->linked[body] = false;
    memset(sides->kind + at, TRM_SIDE_ROW, (size_t)p->rows);
    return;
  }
  const trm_marker *end = point ? p->end : p->direction;
  int here = end[1].body == body;
  sides->kind[at] = dot ? TRM_SIDE_DOT : here == 1 ? TRM_SIDE_MINUS : TRM_SIDE_POINT;
  memcpy(sides->u + at * dim, end[here].u, (size_t)dim * sizeof(double));
  if (point) return;
  sides->other[at] = end[1 - here].body < 0 ? -1 : end[1 - here].body * sys->motion.nq;
  memcpy(sides->of_other + at * dim, end[1 - here].u, (size_t)dim * sizeof(double));
}

static bool create_sides(trm_system *sys, size_t count) {
  trm_sides *sides = &sys->links->sides;
  size_t room = count * (size_t)sys->motion.dim + 1;
  bool dots = sys->links->dots > 0;
  sides->kind = TRM_NEW(sys->arena, unsigned char, count + 1);
  sides->u = TRM_NEW(sys->arena, double, room);
  if (dots) sides->other = TRM_NEW(sys->arena, int, count + 1);
  if (dots) sides->of_other = TRM_NEW(sys->arena, double, room);
  return sides->kind && sides->u && (!dots || (sides->other && sides->of_other));
}

static bool find_mixed(trm_system *sys) {
  trm_links *links = sys->links;
  const trm_sides *sides = &links->sides;
  int bodies = sys->motion.bodies;
  links->mixed = TRM_NEW(sys->arena, int, bodies + 1);
  if (!links->mixed) return false;
  for (int b = 0; b < bodies; b++)
    if (!sides->linked[b] && memchr(sides->kind + sides->start[b], TRM_SIDE_DOT,
                                    (size_t)(sides->start[b + 1] - sides->start[b])))
      links->mixed[links->mixed_count++] = b;
  return true;
}

/* Of each body in the order of its panel's rows: counted, then placed. */
static bool add_sides(trm_system *sys) {
  trm_sides *sides = &sys->links->sides;
  int bodies = sys->motion.bodies, *start = sides->start = TRM_NEW(sys->arena, int, bodies + 2);
  sides->linked = TRM_NEW(sys->arena, bool, bodies + 1);
  if (!start || !sides->linked) return false;
  memset(sides->linked, true, (size_t)bodies);
  for (int i = 0; i < sys->primitive_count; i++)
    for (int k = 0; k < sys->primitives[i].bodies; k++)
      start[sys->primitives[i].body[k] + 2] += side_count(sys, i);
  for (int b = 0; b < bodies; b++) start[b + 2] += start[b + 1];
  if (!create_sides(sys, (size_t)start[bodies + 1])) return false;
  for (int i = 0; i < sys->primitive_count; i++)
    for (int k = 0; k < sys->primitives[i].bodies; k++)
      place_sides(sys, i, sys->primitives[i].body[k]);
  sys->structure.sides = sides;
  return find_mixed(sys);
}

bool trm_system_keeps_twist(const trm_system *sys, const trm_primitive *p) {
  return p->joint >= 0 && p->type == &trm_primitive_sum &&
         sys->model->joints[p->joint].type == TRM_JOINT_CONSTANT_VELOCITY;
}

static void add_other(trm_system *sys, int i) {
  trm_links *links = sys->links;
  const trm_primitive *p = &sys->primitives[i];
  links->other[links->others++] = i;
  bool timed = sys->law[i] || (p->type == &trm_primitive_contact && p->disc) ||
               trm_system_keeps_twist(sys, p) || p->modulo || trm_drives_rotation(p);
  if (timed) links->timed[links->timed_count++] = i;
}

bool trm_system_links(trm_system *sys, bool once) {
  trm_links *links = sys->links = TRM_NEW(sys->arena, trm_links, 1);
  int points = 0, dots = 0, count = sys->primitive_count;
  if (!links) return false;
  for (int i = 0; i < count; i++) {
    points += sys->primitives[i].type == &trm_primitive_position;
    dots += sys->primitives[i].type == &trm_primitive_dot;
  }
  links->point = TRM_NEW(sys->arena, trm_point_link, points + 1);
  links->dot = TRM_NEW(sys->arena, trm_dot_link, dots + 1);
  links->other = TRM_NEW(sys->arena, int, count + 1);
  links->timed = TRM_NEW(sys->arena, int, count + 1);
  links->energies = trm_arena_alloc(sys->arena, (size_t)trm_part_count(sys->motion.bodies) + 1,
                                    2 * sizeof(double));
  if (trm_arena_failed(sys->arena)) return false;
  for (int i = 0; i < count; i++) {
    if (!once && is_point(sys, i))
      add_point(sys, &sys->primitives[i]);
    else if (!once && is_dot(sys, i))
      add_dot(sys, &sys->primitives[i]);
    else
      add_other(sys, i);
  }
  return once || !sys->motion.coordinates->natural || add_sides(sys);
}

/* ---- evaluation ---- */

TRM_INLINE void points_position(int dim, const trm_system *sys, trm_range r) {
  const double *q = sys->motion.q;
  double *C = sys->C;
  const trm_point_link *l = sys->links->point + r.begin, *end = sys->links->point + r.end;
  for (; l < end; l++) {
    const double *q0 = trm_link_q(dim, q, l->at[0]), *q1 = trm_link_q(dim, q, l->at[1]);
    double d0[3], d1[3];
    trm_axes_carry(dim, q0 + dim, l->u[0], d0);
    trm_axes_carry(dim, q1 + dim, l->u[1], d1);
    trm_link_gap(dim, q0, d0, q1, d1, l->at[1] < 0, C + l->row);
  }
}

TRM_INLINE void dots_position(int dim, const trm_system *sys, trm_range r) {
  for (const trm_dot_link *l = sys->links->dot + r.begin; l < sys->links->dot + r.end; l++) {
    double d0[3], d1[3];
    trm_axes_carry(dim, trm_link_q(dim, sys->motion.q, l->at[0]) + dim, l->u[0], d0);
    trm_axes_carry(dim, trm_link_q(dim, sys->motion.q, l->at[1]) + dim, l->u[1], d1);
    sys->C[l->row] = trm_axes_dot(dim, d0, d1) - l->value;
  }
}

TRM_INLINE void links_position(int dim, const trm_system *sys, int part) {
  points_position(dim, sys, trm_part_range(sys->links->points, part));
  dots_position(dim, sys, trm_part_range(sys->links->dots, part));
}

void trm_links_position(void *data, int part) {
  const trm_system *sys = data;
  if (sys->motion.dim == 2)
    links_position(2, sys, part);
  else
    links_position(3, sys, part);
}

/* N(u)ᵀ d of the other's direction */
TRM_INLINE void dots_jacobian(int dim, const trm_system *sys, int body) {
  const trm_sides *sides = &sys->links->sides;
  int nq = sys->motion.nq;
  double *row = sys->Cq + sys->structure.panel_value[body] + sys->structure.intrinsic * nq;
  for (ptrdiff_t s = sides->start[body]; s < sides->start[body + 1]; s++) {
    if (sides->kind[s] == TRM_SIDE_DOT) {
      const double *u = sides->u + s * dim;
      double d[3];
      trm_axes_carry(dim, trm_link_q(dim, sys->motion.q, sides->other[s]) + dim,
                     sides->of_other + s * dim, d);
      for (int k = 0; k < dim; k++)
        for (int i = 0; i < dim; i++) row[dim + k * dim + i] = u[k] * d[i];
    }
    row += trm_side_rows(sides->kind[s], dim) * nq;
  }
}

void trm_dots_jacobian(const trm_system *sys, int body) {
  if (sys->motion.dim == 2)
    dots_jacobian(2, sys, body);
  else
    dots_jacobian(3, sys, body);
}

TRM_INLINE void dots_bias(int dim, const trm_system *sys, trm_range r) {
  for (const trm_dot_link *l = sys->links->dot + r.begin; l < sys->links->dot + r.end; l++) {
    double d0[3], d1[3];
    trm_axes_carry(dim, trm_link_rates(sys->v, l->at[0]) + dim, l->u[0], d0);
    trm_axes_carry(dim, trm_link_rates(sys->v, l->at[1]) + dim, l->u[1], d1);
    sys->Qd[l->row] = -2 * trm_axes_dot(dim, d0, d1);
  }
}

void trm_links_bias(void *data, int part) {
  const trm_system *sys = data;
  trm_range dots = trm_part_range(sys->links->dots, part);
  if (sys->motion.dim == 2)
    dots_bias(2, sys, dots);
  else
    dots_bias(3, sys, dots);
}

/* Joints in natural coordinates: no frames, no calls, a cache line each. */
#include "system/link.h"

#include "math/double2.h"

#include <string.h>

/* The ground as a body: at the origin, along the axes. */
static const double ground[2][12] = {{0, 0, 1, 0, 0, 1}, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const double still[12];

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

/* The sides of dots by body: counted, then placed; side_start[b + 1] runs from b's start to its
 * end.
 */
static bool add_sides(trm_system *sys) {
  trm_links *links = sys->links;
  int nq = sys->motion.nq, *start = TRM_NEW(sys->arena, int, sys->motion.bodies + 2);
  links->side = TRM_NEW(sys->arena, trm_dot_side, 2 * links->dots + 1);
  links->side_start = start;
  if (!start || !links->side) return false;
  for (int i = 0; i < 2 * links->dots; i++) {
    int at = links->dot[i / 2].at[i % 2];
    if (at >= 0) start[at / nq + 2]++;
  }
  for (int b = 0; b < sys->motion.bodies; b++) start[b + 2] += start[b + 1];
  for (int i = 0; i < sys->primitive_count; i++) {
    const trm_primitive *p = &sys->primitives[i];
    if (!is_dot(sys, i)) continue;
    for (int side = 0; side < 2; side++) {
      const trm_marker *own = &p->direction[side], *other = &p->direction[1 - side];
      if (own->body < 0) continue;
      trm_dot_side *to = &links->side[start[own->body + 1]++];
      to->J = (int)(trm_primitive_rows(p, own->body) - sys->Cq);
      to->other = other->body < 0 ? -1 : other->body * nq;
      memcpy(to->u, own->u, sizeof to->u);
      memcpy(to->of_other, other->u, sizeof to->of_other);
    }
  }
  return true;
}

static void add_other(trm_system *sys, int i) {
  trm_links *links = sys->links;
  const trm_primitive *p = &sys->primitives[i];
  links->other[links->others++] = i;
  bool timed = sys->law[i] || (p->type == &trm_primitive_contact && p->disc);
  if (timed) links->timed[links->timed_count++] = i;
}

bool trm_system_links(trm_system *sys) {
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
  if (!links->point || !links->dot || !links->other || !links->timed) return false;
  for (int i = 0; i < count; i++) {
    if (is_point(sys, i))
      add_point(sys, &sys->primitives[i]);
    else if (is_dot(sys, i))
      add_dot(sys, &sys->primitives[i]);
    else
      add_other(sys, i);
  }
  return add_sides(sys);
}

/* ---- evaluation ---- */

TRM_INLINE const double *body_at(int dim, const double *q, int at) {
  return at < 0 ? ground[dim - 2] : q + at;
}

/* Σ u[k] a[k] of the axes behind the origin */
TRM_INLINE void carry(int dim, const double *q, const double *u, double *d) {
  const double *a = q + dim;
  for (int i = 0; i < dim; i++) {
    d[i] = u[0] * a[i] + u[1] * a[dim + i];
    if (dim == 3) d[i] += u[2] * a[2 * dim + i];
  }
}

TRM_INLINE double dot(int dim, const double *a, const double *b) {
  double sum = a[0] * b[0] + a[1] * b[1];
  return dim == 3 ? sum + a[2] * b[2] : sum;
}

TRM_INLINE void points_position(int dim, const trm_system *sys, int begin, int end) {
  for (const trm_point_link *l = sys->links->point + begin; l < sys->links->point + end; l++) {
    const double *q0 = body_at(dim, sys->motion.q, l->at[0]);
    const double *q1 = body_at(dim, sys->motion.q, l->at[1]);
    double r0[3], r1[3], *C = sys->C + l->row;
    carry(dim, q0, l->u[0], r0);
    carry(dim, q1, l->u[1], r1);
    for (int i = 0; i < dim; i++) C[i] = (r0[i] + q0[i]) - (r1[i] + q1[i]);
  }
}

void trm_points_position(const trm_system *sys, int begin, int end) {
  if (sys->motion.dim == 2)
    points_position(2, sys, begin, end);
  else
    points_position(3, sys, begin, end);
}

TRM_INLINE void dots_position(int dim, const trm_system *sys, int begin, int end) {
  for (const trm_dot_link *l = sys->links->dot + begin; l < sys->links->dot + end; l++) {
    double d0[3], d1[3];
    carry(dim, body_at(dim, sys->motion.q, l->at[0]), l->u[0], d0);
    carry(dim, body_at(dim, sys->motion.q, l->at[1]), l->u[1], d1);
    sys->C[l->row] = dot(dim, d0, d1) - l->value;
  }
}

void trm_dots_position(const trm_system *sys, int begin, int end) {
  if (sys->motion.dim == 2)
    dots_position(2, sys, begin, end);
  else
    dots_position(3, sys, begin, end);
}

/* N(u)ᵀ d of the other's direction */
TRM_INLINE void dots_jacobian(int dim, const trm_system *sys, int body) {
  const trm_links *links = sys->links;
  for (int s = links->side_start[body]; s < links->side_start[body + 1]; s++) {
    const trm_dot_side *side = &links->side[s];
    double d[3], *row = sys->Cq + side->J + dim;
    carry(dim, body_at(dim, sys->motion.q, side->other), side->of_other, d);
    for (int k = 0; k < dim; k++)
      for (int i = 0; i < dim; i++) row[k * dim + i] = side->u[k] * d[i];
  }
}

void trm_dots_jacobian(const trm_system *sys, int body) {
  if (sys->motion.dim == 2)
    dots_jacobian(2, sys, body);
  else
    dots_jacobian(3, sys, body);
}

void trm_points_bias(const trm_system *sys, int begin, int end) {
  for (const trm_point_link *l = sys->links->point + begin; l < sys->links->point + end; l++)
    for (int i = 0; i < sys->motion.dim; i++) sys->Qd[l->row + i] = 0;
}

TRM_INLINE void dots_bias(int dim, const trm_system *sys, const double *v, int begin, int end) {
  for (const trm_dot_link *l = sys->links->dot + begin; l < sys->links->dot + end; l++) {
    double d0[3], d1[3];
    carry(dim, l->at[0] < 0 ? still : v + l->at[0], l->u[0], d0);
    carry(dim, l->at[1] < 0 ? still : v + l->at[1], l->u[1], d1);
    sys->Qd[l->row] = -2 * dot(dim, d0, d1);
  }
}

void trm_dots_bias(const trm_system *sys, const double *v, int begin, int end) {
  if (sys->motion.dim == 2)
    dots_bias(2, sys, v, begin, end);
  else
    dots_bias(3, sys, v, begin, end);
}

/* Inverse dynamics of a tree, differentiated along one coordinate. */
#include "math/tree_vary.h"

#include <string.h>

#include "math/tree_link.h"

trm_variation *trm_variation_create(trm_arena *arena, trm_tree *tree) {
  trm_variation *s = TRM_NEW(arena, trm_variation, 1);
  int *link = TRM_NEW(arena, int, tree->n + 1);
  trm_shift *shift = TRM_NEW(arena, trm_shift, tree->count + 1);
  double(*w)[3] = (double(*)[3])TRM_NEW(arena, double, 6 * (tree->count + 1));
  if (!s || !link || !shift || !w) return NULL;
  for (int i = 0; i < tree->count; i++)
    for (int k = 0; k < trm_link_coordinates(&tree->link[i]); k++) link[tree->link[i].at + k] = i;
  *s = (trm_variation){
      .tree = tree, .link = link, .w = w + 1, .vo = w + tree->count + 2, .shift = shift + 1};
  return s;
}

/* ---- quaternions ---- */

/* Where the quaternion of a ball starts among its coordinates. */
static int quaternion(const trm_link *l) {
  return l->kind == TRM_LINK_FREE ? 3 : 0;
}

static bool is_ball(const trm_link *l) {
  return trm_link_quaternion(l) >= 0;
}

/* to += what p makes of rates dp, along global axes; the first is linear in the rates, the second
 * is its derivative along d, a change of p */
static void add_spin(trm_link *parent, const double *p, const double *dp, double *to) {
  double w[3], along[3];
  trm_ball_spin(p, dp, w);
  trm_along(parent->a, w, along);
  trm_add_scaled(1, along, to);
}

static void add_spin_slope(trm_link *parent, const double *p, const double *dp, const double *d,
                           double *to) {
  double w[3], spin[3], along[3], square = trm_dot4(p, p);
  trm_ball_spin(p, dp, spin);
  trm_cross(d + 1, dp + 1, w);
  for (int i = 0; i < 3; i++) {
    w[i] += d[0] * dp[1 + i] - dp[0] * d[1 + i];
    w[i] = 2 * (w[i] - trm_dot4(p, d) * spin[i]) / square;
  }
  trm_along(parent->a, w, along);
  trm_add_scaled(1, along, to);
}

/* ---- the coordinate at hand ---- */

/* A unit of it among a link's coordinates; NULL: it is another link's. */
static const double *change_of(const trm_variation *s, int i, double unit[7]) {
  if (s->link[s->column] != i) return NULL;
  memset(unit, 0, 7 * sizeof *unit);
  unit[s->column - s->tree->link[i].at] = 1;
  return unit;
}

/* How far a link slides with its coordinate. */
static double slide_of(const trm_link *l) {
  if (l->kind == TRM_LINK_SCREW) return l->pitch;
  return l->kind == TRM_LINK_PRISMATIC;
}

static bool turns(const trm_link *l) {
  return l->kind == TRM_LINK_REVOLUTE || l->kind == TRM_LINK_SCREW;
}

/* ---- places and twists ---- */

void trm_variation_follow(trm_variation *s, const double *x) {
  s->x = x;
  for (int i = 0; i < s->tree->count; i++) {
    const trm_link *l = &s->tree->link[i];
    int ball = l->at + quaternion(l);
    memcpy(s->w[i], s->w[l->parent], sizeof s->w[i]);
    if (turns(l)) trm_add_scaled(x[l->at], l->n, s->w[i]);
    if (is_ball(l)) add_spin(&s->tree->link[l->parent], s->tree->q + ball, x + ball, s->w[i]);
    memcpy(s->vo[i], s->vo[l->parent], sizeof s->vo[i]);
    trm_add_cross(s->w[l->parent], l->p, s->vo[i]);
    if (slide_of(l) != 0) trm_add_scaled(slide_of(l) * x[l->at], l->n, s->vo[i]);
    if (l->kind == TRM_LINK_FREE) trm_add_scaled(1, x + l->at, s->vo[i]);
  }
}

void trm_variation_twists(const trm_variation *s, double *twist) {
  for (int i = 0; i < s->tree->count; i++) {
    const trm_link *l = &s->tree->link[i];
    double *own = twist + 6 * (ptrdiff_t)l->body;
    if (l->body < 0) continue;
    memcpy(own, s->vo[i], sizeof s->vo[i]);
    memcpy(own + 3, s->w[i], sizeof s->w[i]);
    trm_add_cross(s->w[i], l->c, own);
  }
}

static void shift_place(const trm_variation *s, int i, const double *d) {
  const trm_link *l = &s->tree->link[i];
  const trm_shift *parent = &s->shift[l->parent];
  trm_shift *own = &s->shift[i];
  memcpy(own->turn, parent->turn, sizeof own->turn);
  trm_cross(parent->turn, l->p, own->p);
  trm_cross(parent->turn, l->n, own->n);
  if (d) {
    if (l->kind == TRM_LINK_FREE) trm_add_scaled(1, d, own->p);
    if (turns(l)) trm_add_scaled(d[0], l->n, own->turn);
    if (is_ball(l))
      add_spin(&s->tree->link[l->parent], s->tree->q + l->at + quaternion(l), d + quaternion(l),
               own->turn);
    trm_add_scaled(slide_of(l) * d[0], l->n, own->p);
  }
  trm_cross(own->turn, l->c, own->c);
  memcpy(own->o, parent->o, sizeof own->o);
  trm_add_scaled(1, own->p, own->o);
}

static void shift_twist(const trm_variation *s, int i, const double *d) {
  const trm_link *l = &s->tree->link[i];
  const trm_shift *parent = &s->shift[l->parent];
  trm_shift *own = &s->shift[i];
  const double *W = s->w[l->parent], *x = s->x + l->at, *q = s->tree->q + l->at;
  memcpy(own->w, parent->w, sizeof own->w);
  memcpy(own->vo, parent->vo, sizeof own->vo);
  trm_add_cross(parent->w, l->p, own->vo);
  trm_add_cross(W, own->p, own->vo);
  if (turns(l)) trm_add_scaled(x[0], own->n, own->w);
  if (slide_of(l) != 0) trm_add_scaled(slide_of(l) * x[0], own->n, own->vo);
  if (!is_ball(l)) return;
  double relative[3];
  int ball = quaternion(l);
  trm_sub(3, s->w[i], W, relative);
  trm_add_cross(parent->turn, relative, own->w);
  if (d) add_spin_slope(&s->tree->link[l->parent], q + ball, x + ball, d + ball, own->w);
}

void trm_variation_displace(trm_variation *s, int column, double *displaced, double *changed) {
  const trm_tree *tree = s->tree;
  double unit[7];
  s->column = column;
  for (int i = 0; i < tree->count; i++) {
    const trm_link *l = &tree->link[i];
    const trm_shift *own = &s->shift[i];
    const double *d = change_of(s, i, unit);
    shift_place(s, i, d);
    shift_twist(s, i, d);
    if (l->body < 0) continue;
    double *place = displaced + 6 * (ptrdiff_t)l->body, *twist = changed + 6 * (ptrdiff_t)l->body;
    for (int k = 0; k < 3; k++) {
      place[k] = own->o[k] + own->c[k];
      place[3 + k] = own->turn[k];
      twist[k] = own->vo[k];
      twist[3 + k] = own->w[k];
    }
    trm_add_cross(own->w, l->c, twist);
    trm_add_cross(s->w[i], own->c, twist);
  }
}

/* ---- accelerations ---- */

/* −2 (p·ṗ/p²) ω of a ball's bias, and what W × ω changes by */
static void add_ball_bias(const trm_variation *s, int i, const double *d, const double *rate,
                          double *to) {
  const trm_link *l = &s->tree->link[i], *above = &s->tree->link[l->parent];
  const trm_shift *own = &s->shift[i], *parent = &s->shift[l->parent];
  int ball = l->at + quaternion(l);
  const double *p = s->tree->q + ball, *dp = s->tree->v + ball;
  double relative[3], change[3], square = trm_dot4(p, p), along = trm_dot4(p, dp) / square, by = 0;
  trm_sub(3, l->w, above->w, relative);
  trm_sub(3, own->w, parent->w, change);
  if (d)
    by += (trm_dot4(d + quaternion(l), dp) - 2 * trm_dot4(p, d + quaternion(l)) * along) / square;
  if (rate) by += trm_dot4(p, rate + quaternion(l)) / square;
  trm_add_cross(parent->w, relative, to);
  trm_add_cross(above->w, change, to);
  trm_add_scaled(-2 * by, relative, to);
  trm_add_scaled(-2 * along, change, to);
}

/* d, rate: changes of the link's own coordinates and of their rates. */
static void shift_acceleration(const trm_variation *s, int i, const double *a, const double *d,
                               const double *rate) {
  const trm_link *l = &s->tree->link[i];
  trm_link *above = &s->tree->link[l->parent];
  const trm_shift *parent = &s->shift[l->parent];
  trm_shift *own = &s->shift[i];
  const double *W = above->w, *v = s->tree->v + l->at;
  double arm[3], change[3], across[3], by = slide_of(l);
  memcpy(own->dw, parent->dw, sizeof own->dw);
  memcpy(own->dv, parent->dv, sizeof own->dv);
  trm_add_cross(parent->dw, l->p, own->dv);
  trm_add_cross(above->dw, own->p, own->dv);
  trm_cross(W, l->p, arm);
  trm_cross(parent->w, l->p, change);
  trm_add_cross(W, own->p, change);
  trm_add_cross(parent->w, arm, own->dv);
  trm_add_cross(W, change, own->dv);
  if (turns(l) || by != 0) {
    trm_cross(W, l->n, across);
    trm_cross(parent->w, l->n, change);
    trm_add_cross(W, own->n, change);
    if (turns(l)) {
      trm_add_scaled(v[0], change, own->dw);
      if (rate) trm_add_scaled(rate[0], across, own->dw);
      if (a) trm_add_scaled(a[l->at], own->n, own->dw);
    }
    trm_add_scaled(2 * by * v[0], change, own->dv);
    if (rate) trm_add_scaled(2 * by * rate[0], across, own->dv);
    if (a) trm_add_scaled(by * a[l->at], own->n, own->dv);
  }
  if (!is_ball(l)) return;
  add_ball_bias(s, i, d, rate, own->dw);
  if (!a) return;
  int ball = quaternion(l);
  const double *p = s->tree->q + l->at + ball, *al = a + l->at + ball;
  double turning[3] = {0, 0, 0};
  add_spin(above, p, al, turning);
  trm_add_cross(parent->turn, turning, own->dw);
  if (d) add_spin_slope(above, p, al, d + ball, own->dw);
}

/* ---- wrenches ---- */

static void inertia_times(const trm_link *l, const double *x, double *y) {
  spin_momentum(l, x, y);
  if (!l->massless) return;
  double more[3];
  trm_symmetric_times(l->F, x, more);
  trm_add_scaled(1, more, y);
}

/* y += the change of I x: I turns with the body */
static void add_inertia_change(const trm_link *l, const double *turn, const double *Ix,
                               const double *x, const double *dx, bool filled, double *y) {
  double left[3], product[3], back[3];
  trm_cross(x, turn, back); /* −turn × x */
  for (int k = 0; k < 3; k++) left[k] = dx[k] + back[k];
  if (filled)
    inertia_times(l, left, product);
  else
    spin_momentum(l, left, product);
  trm_add_scaled(1, product, y);
  trm_add_cross(turn, Ix, y);
}

static void shift_wrench(const trm_link *l, trm_shift *own, const double *more) {
  double f[3], df[3], arm[3], change[3], momentum[3], torque[3], by_spin[3] = {0, 0, 0};
  memset(own->wn, 0, sizeof own->wn);
  memset(own->wf, 0, sizeof own->wf);
  if (l->body < 0) return;
  memcpy(f, l->dv, sizeof f);
  trm_add_cross(l->dw, l->c, f);
  memcpy(df, own->dv, sizeof df);
  trm_add_cross(own->dw, l->c, df);
  trm_add_cross(l->dw, own->c, df);
  trm_cross(l->w, l->c, arm);
  trm_cross(own->w, l->c, change);
  trm_add_cross(l->w, own->c, change);
  trm_add_cross(own->w, arm, df);
  trm_add_cross(l->w, change, df);
  more += 6 * (ptrdiff_t)l->body;
  for (int k = 0; k < 3; k++) {
    f[k] = l->mass * f[k] + l->f0[k];
    own->wf[k] = l->mass * df[k] + more[k];
    own->wn[k] = more[3 + k];
  }
  spin_momentum(l, l->w, momentum);
  add_inertia_change(l, own->turn, momentum, l->w, own->w, false, by_spin);
  trm_add_cross(own->w, momentum, own->wn);
  trm_add_cross(l->w, by_spin, own->wn);
  inertia_times(l, l->dw, torque);
  add_inertia_change(l, own->turn, torque, l->dw, own->dw, true, own->wn);
  trm_add_cross(own->c, f, own->wn);
  trm_add_cross(l->c, own->wf, own->wn);
}

static void gather(const trm_variation *s, const double *more) {
  for (int i = 0; i < s->tree->count; i++) shift_wrench(&s->tree->link[i], &s->shift[i], more);
  for (int i = s->tree->count - 1; i >= 0; i--) {
    const trm_link *l = &s->tree->link[i];
    const trm_shift *own = &s->shift[i];
    trm_shift *parent = &s->shift[l->parent];
    if (l->parent < 0) continue;
    trm_add_scaled(1, own->wf, parent->wf);
    trm_add_scaled(1, own->wn, parent->wn);
    trm_add_cross(l->p, own->wf, parent->wn);
    trm_add_cross(own->p, l->wf, parent->wn);
  }
}

/* ---- over the coordinates ---- */

static void collect_ball(const trm_variation *s, int i, const double *d, double *y) {
  const trm_link *l = &s->tree->link[i];
  trm_link *above = &s->tree->link[l->parent];
  const trm_shift *own = &s->shift[i], *parent = &s->shift[l->parent];
  const double *p = s->tree->q + l->at + quaternion(l);
  double torque[3], change[3], back[3], w[3], dw[3], plain[4], turned[4],
      scale = 4 / trm_dot4(p, p);
  memcpy(torque, l->wn, sizeof torque);
  trm_cross(torque, parent->turn, back); /* −turn × torque */
  for (int k = 0; k < 3; k++) change[k] = own->wn[k] + back[k];
  for (int k = 0; k < 3; k++) {
    w[k] = trm_dot3(above->a[k], torque);
    dw[k] = trm_dot3(above->a[k], change);
  }
  trm_ball_rates(p, dw, y);
  for (int k = 0; k < 4; k++) y[k] *= scale;
  if (!d) return;
  trm_ball_rates(p, w, plain);
  trm_ball_rates(d, w, turned);
  double shrink = 2 * trm_dot4(p, d) / trm_dot4(p, p);
  for (int k = 0; k < 4; k++) y[k] += scale * (turned[k] - shrink * plain[k]);
}

static void collect(const trm_variation *s, bool placed, double *y) {
  for (int i = 0; i < s->tree->count; i++) {
    const trm_link *l = &s->tree->link[i];
    const trm_shift *own = &s->shift[i];
    double unit[7], *yl = y + l->at, by = slide_of(l);
    const double *d = placed ? change_of(s, i, unit) : NULL;
    if (turns(l)) yl[0] = trm_dot3(own->n, l->wn) + trm_dot3(l->n, own->wn);
    if (l->kind == TRM_LINK_PRISMATIC) yl[0] = 0;
    if (by != 0) yl[0] += by * (trm_dot3(own->n, l->wf) + trm_dot3(l->n, own->wf));
    if (l->kind == TRM_LINK_FREE) memcpy(yl, own->wf, 3 * sizeof *yl);
    if (is_ball(l)) collect_ball(s, i, d ? d + quaternion(l) : NULL, yl + quaternion(l));
  }
}

/* What M has along a quaternion, s (p·a) p/p², changes with it. */
static void add_stiff(const trm_variation *s, const double *a, double *y) {
  int i = s->link[s->column], ball;
  const trm_link *l = &s->tree->link[i];
  if (!is_ball(l) || s->column < (ball = l->at + quaternion(l))) return;
  double unit[7];
  const double *p = s->tree->q + ball, *d = change_of(s, i, unit) + quaternion(l);
  double square = trm_dot4(p, p), along = trm_dot4(p, a + ball);
  double by = trm_dot4(d, a + ball) - 2 * trm_dot4(p, d) * along / square;
  for (int k = 0; k < 4; k++) y[ball + k] += l->stiff * (by * p[k] + along * d[k]) / square;
}

void trm_variation_by_place(trm_variation *s, const double *a, const double *more, double *y) {
  double unit[7];
  for (int i = 0; i < s->tree->count; i++) shift_acceleration(s, i, a, change_of(s, i, unit), NULL);
  gather(s, more);
  collect(s, true, y);
  add_stiff(s, a, y);
}

/* Rates turn bodies as coordinates do: their ω changes by what their axes turned by. */
void trm_variation_by_rate(trm_variation *s, const double *more, double *y) {
  double unit[7];
  for (int i = 0; i < s->tree->count; i++) {
    trm_shift *own = &s->shift[i];
    memcpy(own->w, own->turn, sizeof own->w);
    memset(own->turn, 0, sizeof own->turn);
    memset(own->p, 0, sizeof own->p);
    memset(own->n, 0, sizeof own->n);
    memset(own->c, 0, sizeof own->c);
  }
  for (int i = 0; i < s->tree->count; i++)
    shift_acceleration(s, i, NULL, NULL, change_of(s, i, unit));
  gather(s, more);
  collect(s, false, y);
}

/* A wheel on a road, written once over `num`: include plain.h or wide.h first. The equations are in
 * docs/theory/tires.md. */
#ifndef TRM_TIRE_ACTION_H
#define TRM_TIRE_ACTION_H

#include "tire/wheel.h"

#define FLATTEST 0.05 /* cosine of an inclination at which a wheel lies on its side */

#define SLOWEST 1e-9 /* m/s: measures of slip are finite at rest */

enum { SEARCHES = 8 }; /* each gains a factor: curvature times radius times inclination */

typedef struct vec {
  num x, y, z;
} vec;

TRM_INLINE num dot(vec a, vec b) {
  return add(add(mul(a.x, b.x), mul(a.y, b.y)), mul(a.z, b.z));
}
TRM_INLINE vec cross(vec a, vec b) {
  return (vec){sub(mul(a.y, b.z), mul(a.z, b.y)), sub(mul(a.z, b.x), mul(a.x, b.z)),
               sub(mul(a.x, b.y), mul(a.y, b.x))};
}
TRM_INLINE vec scaled(vec a, num s) {
  return (vec){mul(a.x, s), mul(a.y, s), mul(a.z, s)};
}
TRM_INLINE vec sum(vec a, vec b) {
  return (vec){add(a.x, b.x), add(a.y, b.y), add(a.z, b.z)};
}
TRM_INLINE vec minus(vec a, vec b) {
  return (vec){sub(a.x, b.x), sub(a.y, b.y), sub(a.z, b.z)};
}
TRM_INLINE vec taken(const double *v, int direction) {
  return (vec){variable(v[0], direction), variable(v[1], direction + 1),
               variable(v[2], direction + 2)};
}
TRM_INLINE num absolute(num a) {
  return value_of(a) < 0 ? times(a, -1) : a;
}

typedef struct wheel {
  vec centre, axis, velocity, angular;
  num u, v; /* bristle */
} wheel;

typedef struct contact {
  vec n, ex, ey;    /* W-axes */
  vec arm;          /* from the centre to the contact point */
  num sine, cosine; /* of the inclination */
  num height;       /* of the centre over the road's tangent plane */
  num deflection;
  double friction;
  double x, y; /* where the road was asked */
} contact;

static void sample(const trm_road *road, double x, double y, trm_road_point *point) {
  *point = (trm_road_point){.friction = 1};
  if (road && road->at) road->at(road->context, x, y, HAS_SLOPES, point);
}

/* The tangent plane at the road's point (x, y), and where the wheel's own plane meets it under the
 * centre. */
TRM_INLINE contact touch(const trm_tire *tire, const trm_road *road, const wheel *w, num x, num y) {
  trm_road_point p;
  sample(road, value_of(x), value_of(y), &p);
  const num at[2] = {x, y};
  const double dz[2] = {p.zx, p.zy}, dzx[2] = {p.zxx, p.zxy}, dzy[2] = {p.zxy, p.zyy};
  num zx = through(p.zx, 2, dzx, at), zy = through(p.zy, 2, dzy, at);
  num length = root(plus(add(mul(zx, zx), mul(zy, zy)), 1));
  contact c = {.friction = p.friction, .x = value_of(x), .y = value_of(y)};
  num one = quotient(constant(1), length);
  c.n = (vec){times(mul(zx, one), -1), times(mul(zy, one), -1), one};
  c.height = dot(c.n, minus(w->centre, (vec){x, y, through(p.z, 2, dz, at)}));
  c.sine = dot(w->axis, c.n);
  c.cosine = root(plus(times(mul(c.sine, c.sine), -1), 1));
  num inverse = quotient(constant(1), c.cosine);
  num loaded = mul(c.height, inverse);
  c.ex = scaled(cross(w->axis, c.n), inverse);
  c.ey = cross(c.n, c.ex);
  c.arm = scaled(minus(scaled(w->axis, c.sine), c.n), mul(loaded, inverse));
  c.deflection = plus(times(loaded, -1), tire->UNLOADED_RADIUS);
  return c;
}

/* Where the road is not a plane: the tangent plane at the contact point itself. */
TRM_INLINE contact find_contact(const trm_tire *tire, const trm_road *road, const wheel *w) {
  contact c = touch(tire, road, w, w->centre.x, w->centre.y);
  if (!road || !road->at) return c;
  for (int k = 0; k < SEARCHES && isfinite(value_of(c.height)); k++)
    c = touch(tire, road, w, add(w->centre.x, c.arm.x), add(w->centre.y, c.arm.y));
  return c;
}

/* Velocities of the contact point that does not spin, in W-axes. */
typedef struct sliding {
  num vx, vy, omega, deflection_rate;
} sliding;

TRM_INLINE sliding slide(const wheel *w, const contact *c) {
  sliding s;
  s.omega = dot(w->angular, w->axis);
  vec turning = minus(w->angular, scaled(w->axis, s.omega));
  vec v = sum(w->velocity, cross(turning, c->arm));
  s.vx = dot(v, c->ex);
  s.vy = dot(v, c->ey);
  /* rho = R0 − h/cos γ */
  num tilt = dot(cross(turning, w->axis), c->n); /* d(sin γ)/dt */
  num square = mul(c->cosine, c->cosine);
  num falling = add(dot(w->velocity, c->n), quotient(mul(mul(c->height, c->sine), tilt), square));
  s.deflection_rate = times(quotient(falling, c->cosine), -1);
  return s;
}

/* What the carcass is under this load, along and across. */
typedef struct carcass {
  num sigma;                  /* relaxation length */
  num elastic, stretch, time; /* see trm_tire_stick; on this road */
} carcass;

typedef struct pressed {
  num fz, radius;
  carcass along, across;
} pressed;

TRM_INLINE carcass carcass_of(const trm_tire_stick *h, const trm_tire_stick *slope, num fz,
                              double friction, num sigma) {
  return (carcass){sigma, times(through(h->elastic, 1, &slope->elastic, &fz), friction),
                   through(h->stretch, 1, &slope->stretch, &fz),
                   through(h->time, 1, &slope->time, &fz)};
}

TRM_INLINE pressed press(const trm_tire *tire, const contact *c, const sliding *s) {
  pressed b;
  const num deflection[2] = {c->deflection, s->deflection_rate};
  trm_tire_deflected d =
      trm_tire_press(tire, value_of(c->deflection), value_of(s->deflection_rate));
  const double load[2] = {d.fz_rho, d.fz_rhop};
  b.fz = through(d.fz, 2, load, deflection);
  b.radius = through(d.radius, 1, &d.radius_rho, deflection);
  trm_tire_lengths l = trm_tire_relaxation_lengths(tire, d.fz, asin(value_of(c->sine)));
  const num under[2] = {b.fz, c->sine};
  const double alpha[2] = {l.sigma_alpha_load, l.sigma_alpha_gamma / value_of(c->cosine)};
  trm_tire_grip slope, grip = trm_tire_grip_at(tire, d.fz, &slope);
  b.along = carcass_of(&grip.kappa, &slope.kappa, b.fz, c->friction,
                       through(l.sigma_kappa, 1, &l.sigma_kappa_load, under));
  b.across = carcass_of(&grip.tangent, &slope.tangent, b.fz, c->friction,
                        through(l.sigma_alpha, 2, alpha, under));
  return b;
}

/* Slips that the formulas see, and the rates of the bristles. */
typedef struct relaxed {
  num kappa, tangent, u_rate, v_rate;
} relaxed;

/* 1 up to half the low speed, 0 from it on, smooth: how much a wheel counts as standing */
TRM_INLINE num standing(num speed, double low) {
  num s = plus(times(speed, 2 / low), -1);
  if (value_of(s) <= 0) return constant(1);
  if (value_of(s) >= 1) return constant(0);
  return plus(mul(mul(s, s), plus(times(s, 2), -3)), 1);
}

/* Deflection over the one at which it yields. */
TRM_INLINE num load_of(num deflection, const carcass *c) {
  return quotient(deflection, mul(c->sigma, c->elastic));
}

/* Bristles yield: beyond their limit they do not stretch any more, whatever is left of them
 * springs back. */
TRM_INLINE void yield(const wheel *w, const pressed *b, num stand, relaxed *r) {
  num e = load_of(w->u, &b->along), g = load_of(w->v, &b->across);
  num size = add(mul(e, e), mul(g, g));
  num outward = add(mul(e, load_of(r->u_rate, &b->along)), mul(g, load_of(r->v_rate, &b->across)));
  num over = plus(times(mul(mul(stand, stand), size), 2), -1);
  if (!(value_of(over) > 0 && value_of(outward) > 0)) return;
  num flow = quotient(mul(mul(over, over), outward), size);
  r->u_rate = sub(r->u_rate, mul(flow, w->u));
  r->v_rate = sub(r->v_rate, mul(flow, w->v));
}

/* Slips of a standing wheel: those at which the formulas give the force of the carcass, an elastic
 * one with damping, up to the largest force. */
TRM_INLINE void hold(const wheel *w, const sliding *s, const pressed *b, num slip, num stand,
                     relaxed *r) {
  num u = sub(w->u, mul(mul(stand, b->along.time), slip));
  num v = add(w->v, mul(mul(stand, b->across.time), s->vy));
  num e = load_of(u, &b->along), g = load_of(v, &b->across);
  num size = add(mul(e, e), mul(g, g));
  num share = value_of(size) < 1 ? mul(size, size) : constant(1);
  share = mul(share, stand);
  num longer = plus(mul(share, plus(b->along.stretch, -1)), 1);
  num wider = plus(mul(share, plus(b->across.stretch, -1)), 1);
  r->kappa = quotient(mul(u, longer), b->along.sigma);
  r->tangent = quotient(mul(v, wider), b->across.sigma);
}

TRM_INLINE relaxed relax(const trm_tire *tire, const wheel *w, const sliding *s, const pressed *b) {
  num speed = absolute(s->vx), rolled = mul(s->omega, b->radius);
  num slip = sub(s->vx, rolled); /* Vsx */
  num stand = standing(speed, tire->VXLOW);
  /* what carries bristles out of the contact: a wheel that stands locked carries none */
  num carry = add(speed, mul(stand, sub(absolute(rolled), speed)));
  relaxed r = {.kappa = quotient(w->u, b->along.sigma), .tangent = quotient(w->v, b->across.sigma)};
  /* σ u̇ + |Vx| u = −σ Vsx, σ v̇ + |Vx| v = σ Vy */
  r.u_rate = times(add(slip, mul(carry, r.kappa)), -1);
  r.v_rate = sub(s->vy, mul(carry, r.tangent));
  bool stands = value_of(stand) > 0, rolls = value_of(stand) < 1;
  if (stands) {
    yield(w, b, stand, &r);
    hold(w, s, b, slip, stand, &r);
  }
  if (!tire->relaxes) {
    num moving = rolls ? quotient(plus(times(stand, -1), 1), speed) : constant(0);
    r.kappa = sub(mul(stand, r.kappa), mul(moving, slip));
    r.tangent = add(mul(stand, r.tangent), mul(moving, s->vy));
  }
  return r;
}

typedef struct loads {
  num fx, fy, mx, my, mz;
} loads;

TRM_INLINE loads evaluate(const trm_tire *tire, trm_tire_side side, const contact *c,
                          const sliding *s, const pressed *b, const relaxed *r,
                          trm_wheel_action *action) {
  double slopes[5][5], cosine = value_of(c->cosine);
  num alpha = arctan(r->tangent);
  trm_tire_slip slip = {value_of(b->fz), value_of(r->kappa), value_of(alpha),
                        asin(value_of(c->sine)), value_of(s->vx)};
  trm_tire_forces f;
  action->beyond =
      trm_tire_evaluate(tire, side, &slip, c->friction, &f, HAS_SLOPES ? slopes : NULL);
  const num in[5] = {b->fz, r->kappa, alpha, c->sine, s->vx};
  for (int i = 0; HAS_SLOPES && i < 5; i++) slopes[i][3] /= cosine; /* γ of sin γ */
  return (loads){through(f.fx, 5, slopes[0], in), through(f.fy, 5, slopes[1], in),
                 through(f.mx, 5, slopes[2], in), through(f.my, 5, slopes[3], in),
                 through(f.mz, 5, slopes[4], in)};
}

TRM_INLINE void measure(const contact *c, const sliding *s, const pressed *b, const wheel *w,
                        const loads *l, num out[TRM_WHEEL_MEASURES]) {
  num speed = absolute(s->vx), slip = sub(s->vx, mul(s->omega, b->radius));
  if (!(value_of(speed) > SLOWEST)) speed = constant(SLOWEST);
  vec point = sum(w->centre, c->arm);
  double cosine = value_of(c->cosine), lean = 1 / cosine;
  out[TRM_WHEEL_FX] = l->fx, out[TRM_WHEEL_FY] = l->fy, out[TRM_WHEEL_FZ] = b->fz;
  out[TRM_WHEEL_MX] = l->mx, out[TRM_WHEEL_MY] = l->my, out[TRM_WHEEL_MZ] = l->mz;
  out[TRM_WHEEL_KAPPA] = times(quotient(slip, speed), -1);
  out[TRM_WHEEL_ALPHA] = arctan(quotient(s->vy, speed));
  out[TRM_WHEEL_GAMMA] = through(asin(value_of(c->sine)), 1, &lean, &c->sine);
  out[TRM_WHEEL_DEFLECTION] = c->deflection;
  out[TRM_WHEEL_SPEED] = s->vx;
  out[TRM_WHEEL_X] = point.x, out[TRM_WHEEL_Y] = point.y, out[TRM_WHEEL_Z] = point.z;
}

TRM_INLINE void act(const trm_tire *tire, trm_tire_side side, const trm_road *road,
                    const trm_wheel *at, trm_wheel_action *action, num out[TRM_WHEEL_OUTPUTS]) {
  wheel w = {taken(at->centre, 0),  taken(at->axis, 3),           taken(at->velocity, 6),
             taken(at->angular, 9), variable(at->bristle[0], 12), variable(at->bristle[1], 13)};
  *action = (trm_wheel_action){0};
  for (int i = 0; i < TRM_WHEEL_OUTPUTS; i++) out[i] = constant(0);
  contact c = find_contact(tire, road, &w);
  if (!isfinite(value_of(c.height))) { /* off the road */
    for (int i = 0; i < TRM_WHEEL_OUTPUTS; i++) out[i] = constant(NAN);
    out[TRM_WHEEL_ACTS + TRM_WHEEL_X] = constant(c.x);
    out[TRM_WHEEL_ACTS + TRM_WHEEL_Y] = constant(c.y);
    return;
  }
  if (!(value_of(c.cosine) > FLATTEST)) {
    out[TRM_WHEEL_ACTS + TRM_WHEEL_GAMMA] = constant(asin(value_of(c.sine)));
    action->beyond = TRM_TIRE_GAMMA;
    return;
  }
  sliding s = slide(&w, &c);
  pressed b = press(tire, &c, &s);
  relaxed r = relax(tire, &w, &s, &b);
  loads l = evaluate(tire, side, &c, &s, &b, &r, action);
  vec force = sum(sum(scaled(c.ex, l.fx), scaled(c.ey, l.fy)), scaled(c.n, b.fz));
  vec moment = sum(sum(scaled(c.ex, l.mx), scaled(c.ey, l.my)), scaled(c.n, l.mz));
  vec torque = sum(moment, cross(c.arm, force));
  const num acts[TRM_WHEEL_ACTS] = {force.x,  force.y,  force.z,  torque.x,
                                    torque.y, torque.z, r.u_rate, r.v_rate};
  for (int i = 0; i < TRM_WHEEL_ACTS; i++) out[i] = acts[i];
  measure(&c, &s, &b, &w, &l, out + TRM_WHEEL_ACTS);
  action->radius = value_of(b.radius);
}

static void fill(trm_wheel_action *action, const num out[TRM_WHEEL_OUTPUTS]) {
  for (int i = 0; i < 3; i++) {
    action->force[i] = value_of(out[i]);
    action->torque[i] = value_of(out[3 + i]);
  }
  for (int i = 0; i < TRM_TIRE_BRISTLES; i++) action->rates[i] = value_of(out[TRM_WHEEL_RATES + i]);
  for (int i = 0; i < TRM_WHEEL_MEASURES; i++)
    action->measure[i] = value_of(out[TRM_WHEEL_ACTS + i]);
}

#endif

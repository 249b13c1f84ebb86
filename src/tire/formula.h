/* The Magic Formula, version 5.2 (PAC2002) and the form of 1989, written once over `num`: include
 * plain.h or dual.h first. Letters are those of the PAC2002 manual; turn slip is not computed. */
#ifndef TRM_TIRE_FORMULA_H
#define TRM_TIRE_FORMULA_H

#include "tire/tire.h"

#define PI 3.14159265358979323846

typedef struct input {
  num fz, kappa, alpha, gamma;
  double friction, speed;
} input;

/* k0 + k1 x */
TRM_INLINE num linear(double k0, double k1, num x) {
  return plus(times(x, k1), k0);
}
/* k0 + k1 x + k2 x² */
TRM_INLINE num quadratic(double k0, double k1, double k2, num x) {
  return plus(mul(linear(k1, k2, x), x), k0);
}
TRM_INLINE num square(num x) {
  return mul(x, x);
}
/* +1 at zero, too: nothing is singled out there */
TRM_INLINE double sign_of(num x) {
  return value_of(x) < 0 ? -1 : 1;
}
TRM_INLINE num size_of(num x) {
  return times(x, sign_of(x));
}
/* E > 1 would turn the curve around */
TRM_INLINE num at_most_one(num e) {
  return value_of(e) > 1 ? constant(1) : e;
}
/* cos(atan x) */
TRM_INLINE num cos_arctan(num x) {
  return quotient(constant(1), root(plus(square(x), 1)));
}
/* atan(x − E(x − atan x)), x = B·slip */
TRM_INLINE num bend(num x, num e) {
  return arctan(sub(x, mul(e, sub(x, arctan(x)))));
}
/* D sin(C atan(…)) and D cos(C atan(…)) */
TRM_INLINE num sine_curve(num d, double c, num x, num e) {
  return mul(d, sine(times(bend(x, e), c)));
}
TRM_INLINE num cosine_curve(num d, double c, num x, num e) {
  return mul(d, cosine(times(bend(x, e), c)));
}

/* --- MF 5.2 --- */

/* pure longitudinal slip */
typedef struct longitudinal {
  num force, stiffness; /* Fx0; Kx/Fz */
} longitudinal;

TRM_INLINE longitudinal pure_longitudinal(const trm_tire *t, const input *in, num dfz) {
  double lmux = t->LMUX * in->friction, cx = t->PCX1 * t->LCX;
  num gamma = times(in->gamma, t->LGAX);
  num kappa = add(in->kappa, times(linear(t->PHX1, t->PHX2, dfz), t->LHX));
  num mux = times(mul(linear(t->PDX1, t->PDX2, dfz), linear(1, -t->PDX3, square(gamma))), lmux);
  num ex =
      times(quadratic(t->PEX1, t->PEX2, t->PEX3, dfz), (1 - t->PEX4 * sign_of(kappa)) * t->LEX);
  num kx = times(mul(linear(t->PKX1, t->PKX2, dfz), exponential(times(dfz, t->PKX3))), t->LKX);
  num bx = quotient(kx, times(mux, cx));
  num curve = sine_curve(mux, cx, mul(bx, kappa), at_most_one(ex));
  num svx = times(linear(t->PVX1, t->PVX2, dfz), t->LVX * lmux);
  return (longitudinal){mul(in->fz, add(curve, svx)), kx};
}

/* pure side slip */
typedef struct lateral {
  num force, stiffness; /* Fy0; Ky/Fz */
  num mu, shape;        /* mu_y; By Cy */
  num zero;             /* SHf: the slip at which Fy0 is zero, nearly */
} lateral;

TRM_INLINE lateral pure_lateral(const trm_tire *t, const input *in, num dfz) {
  double lmuy = t->LMUY * in->friction, cy = t->PCY1 * t->LCY;
  num gamma = times(in->gamma, t->LGAY);
  num mu = times(mul(linear(t->PDY1, t->PDY2, dfz), linear(1, -t->PDY3, square(gamma))), lmuy);
  /* Ky/Fz: sin(2 atan x) = 2 x/(1 + x²) with x ~ Fz leaves no division by the load */
  num x = times(in->fz, 1 / (t->PKY2 * t->FNOMIN * t->LFZO));
  num ky = times(quotient(linear(1, -t->PKY3, size_of(gamma)), plus(square(x), 1)),
                 2 * t->PKY1 / t->PKY2 * t->LKY);
  num shy = add(times(linear(t->PHY1, t->PHY2, dfz), t->LHY), times(gamma, t->PHY3));
  num svy = times(
      add(times(linear(t->PVY1, t->PVY2, dfz), t->LVY), mul(linear(t->PVY3, t->PVY4, dfz), gamma)),
      lmuy);
  num alpha = add(in->alpha, shy);
  num skew = times(linear(t->PEY3, t->PEY4, gamma), -sign_of(alpha));
  num ey = times(mul(linear(t->PEY1, t->PEY2, dfz), plus(skew, 1)), t->LEY);
  num by = quotient(ky, times(mu, cy));
  num curve = sine_curve(mu, cy, mul(by, alpha), at_most_one(ey));
  return (lateral){mul(in->fz, add(curve, svy)), ky, mu, times(by, cy),
                   add(shy, quotient(svy, ky))};
}

/* The share that is left of a pure force under the other slip. */
TRM_INLINE num share(num b, double c, num e, num slip, num shift) {
  num here = cosine_curve(constant(1), c, mul(b, add(slip, shift)), e);
  return quotient(here, cosine_curve(constant(1), c, mul(b, shift), e));
}

TRM_INLINE num share_longitudinal(const trm_tire *t, const input *in, num dfz) {
  num b = times(cos_arctan(times(in->kappa, t->RBX2)), t->RBX1 * t->LXAL);
  num e = at_most_one(linear(t->REX1, t->REX2, dfz));
  return share(b, t->RCX1, e, in->alpha, constant(t->RHX1));
}

TRM_INLINE num share_lateral(const trm_tire *t, const input *in, num dfz) {
  num b = times(cos_arctan(times(plus(in->alpha, -t->RBY3), t->RBY2)), t->RBY1 * t->LYKA);
  num e = at_most_one(linear(t->REY1, t->REY2, dfz));
  return share(b, t->RCY1, e, in->kappa, linear(t->RHY1, t->RHY2, dfz));
}

/* SVyκ: the side force that driving and braking induce */
TRM_INLINE num induced_side_force(const trm_tire *t, const input *in, num dfz, num mu) {
  num d = add(linear(t->RVY1, t->RVY2, dfz), times(in->gamma, t->RVY3));
  d = mul(mul(mul(d, mu), in->fz), cos_arctan(times(in->alpha, t->RVY4)));
  return times(mul(d, sine(times(arctan(times(in->kappa, t->RVY6)), t->RVY5))), t->LVYKA);
}

/* atan √(tan²α + (Kx κ/Ky)²) with the sign of α */
TRM_INLINE num equivalent(num alpha, num other) {
  num size = root(add(square(tangent(alpha)), square(other)));
  return times(arctan(size), sign_of(alpha));
}

/* Pneumatic trail and residual moment: −t·force + Mzr */
TRM_INLINE num turning_moment(const trm_tire *t, const input *in, num dfz, const lateral *y,
                              num force, num other) {
  double lmuy = t->LMUY * in->friction;
  num gamma = times(in->gamma, t->LGAZ);
  num sht = add(linear(t->QHZ1, t->QHZ2, dfz), mul(linear(t->QHZ3, t->QHZ4, dfz), gamma));
  num alpha_t = equivalent(add(in->alpha, sht), other);
  num alpha_r = equivalent(add(in->alpha, y->zero), other);
  num by_camber = add(linear(1, t->QBZ4, gamma), times(size_of(gamma), t->QBZ5));
  num bt = times(mul(quadratic(t->QBZ1, t->QBZ2, t->QBZ3, dfz), by_camber), t->LKY / lmuy);
  num dt = mul(mul(in->fz, linear(t->QDZ1, t->QDZ2, dfz)), quadratic(1, t->QDZ3, t->QDZ4, gamma));
  num x = mul(bt, alpha_t);
  num skew = mul(linear(t->QEZ4, t->QEZ5, gamma), arctan(times(x, t->QCZ1)));
  num et = mul(quadratic(t->QEZ1, t->QEZ2, t->QEZ3, dfz), plus(times(skew, 2 / PI), 1));
  num trail =
      cosine_curve(times(dt, t->UNLOADED_RADIUS / t->FNOMIN * t->LTR), t->QCZ1, x, at_most_one(et));
  num br = plus(times(y->shape, t->QBZ10), t->QBZ9 * t->LKY / lmuy);
  num dr =
      add(times(linear(t->QDZ6, t->QDZ7, dfz), t->LRES), mul(linear(t->QDZ8, t->QDZ9, dfz), gamma));
  dr = times(mul(in->fz, dr), t->UNLOADED_RADIUS * lmuy);
  num residual = mul(dr, cos_arctan(mul(br, alpha_r)));
  return mul(sub(residual, mul(trail, force)), cosine(in->alpha));
}

/* s·Fx */
TRM_INLINE num arm_moment(const trm_tire *t, const input *in, num dfz, num fx, num fy) {
  num s =
      add(linear(t->SSZ1, t->SSZ2 / t->FNOMIN, fy), mul(linear(t->SSZ3, t->SSZ4, dfz), in->gamma));
  return times(mul(s, fx), t->UNLOADED_RADIUS * t->LS);
}

TRM_INLINE num overturning_moment(const trm_tire *t, const input *in, num fy) {
  num by_camber = add(times(in->gamma, -t->QSX2), times(fy, t->QSX3 / t->FNOMIN));
  return times(mul(in->fz, linear(t->QSX1 * t->LVMX, t->LMX, by_camber)), t->UNLOADED_RADIUS);
}

TRM_INLINE num rolling_moment(const trm_tire *t, const input *in, num fx) {
  double v = in->speed / t->LONGVL, v2 = v * v;
  double k = t->QSY1 + t->QSY3 * fabs(v) + t->QSY4 * v2 * v2;
  return times(mul(in->fz, linear(k, t->QSY2 / t->FNOMIN, fx)), t->UNLOADED_RADIUS * t->LMY);
}

TRM_INLINE void version_52(const trm_tire *t, const input *in, num core[TRM_TIRE_CORE]) {
  bool drives = t->mode != 2, steers = t->mode >= 2, combined = t->mode == 4;
  num zero = constant(0), fx = zero, fy = zero, other = zero, side = zero;
  num dfz = linear(-1, 1 / (t->FNOMIN * t->LFZO), in->fz);
  if (drives) {
    longitudinal x = pure_longitudinal(t, in, dfz);
    fx = combined ? mul(x.force, share_longitudinal(t, in, dfz)) : x.force;
    core[CORE_ROLL] = rolling_moment(t, in, fx);
    other = mul(x.stiffness, in->kappa);
  }
  if (steers) {
    lateral y = pure_lateral(t, in, dfz);
    if (combined) side = induced_side_force(t, in, dfz, y.mu);
    num trailing = combined ? mul(y.force, share_lateral(t, in, dfz)) : y.force;
    fy = add(trailing, side);
    other = combined ? quotient(other, y.stiffness) : zero;
    core[CORE_MX] = overturning_moment(t, in, fy);
    core[CORE_TURN] = turning_moment(t, in, dfz, &y, trailing, other);
    if (combined) core[CORE_ARM] = arm_moment(t, in, dfz, fx, fy);
  }
  core[CORE_FX] = fx;
  core[CORE_FY] = fy;
}

/* --- the form of 1989: kN, degrees, per cent; α and γ have the other sign in the file --- */

typedef struct form_1989 {
  num curve, shift;    /* D sin(…); SV: their sum is the force */
  num slip, stiffness; /* what the curve is of; its slope at zero */
  num peak;            /* |D| */
} form_1989;

TRM_INLINE form_1989 form(double c, num d, num bcd, num e, num slip, num shift) {
  num x = mul(quotient(bcd, times(d, c)), slip);
  return (form_1989){sine_curve(d, c, x, at_most_one(e)), shift, slip, bcd, size_of(d)};
}

TRM_INLINE form_1989 longitudinal_1989(const trm_tire *t, num fz, num kappa) {
  num d = mul(linear(t->B2, t->B1, fz), fz);
  num bcd = mul(mul(linear(t->B4, t->B3, fz), fz), exponential(times(fz, -t->B5)));
  num slip = add(kappa, linear(t->B10, t->B9, fz));
  return form(t->B0, d, bcd, quadratic(t->B8, t->B7, t->B6, fz), slip, constant(0));
}

TRM_INLINE form_1989 lateral_1989(const trm_tire *t, num fz, num alpha, num gamma) {
  num d = mul(linear(t->A2, t->A1, fz), fz), x = times(fz, 1 / t->A4);
  num bcd = times(quotient(x, plus(square(x), 1)), 2 * t->A3); /* a3 sin(2 atan(Fz/a4)) */
  bcd = mul(bcd, linear(1, -t->A5, size_of(gamma)));
  num slip = add(add(alpha, linear(t->A10, t->A9, fz)), times(gamma, t->A8));
  num shift = add(linear(t->A13, t->A12, fz), times(mul(fz, gamma), t->A11));
  return form(t->A0, d, bcd, linear(t->A7, t->A6, fz), slip, shift);
}

TRM_INLINE form_1989 aligning_1989(const trm_tire *t, num fz, num alpha, num gamma) {
  num d = mul(linear(t->C2, t->C1, fz), fz), by_camber = size_of(gamma);
  num bcd = mul(mul(linear(t->C4, t->C3, fz), fz), exponential(times(fz, -t->C5)));
  bcd = mul(bcd, linear(1, -t->C6, by_camber));
  num e = mul(quadratic(t->C9, t->C8, t->C7, fz), linear(1, -t->C10, by_camber));
  num slip = add(add(alpha, linear(t->C13, t->C12, fz)), times(gamma, t->C11));
  num shift = add(linear(t->C17, t->C16, fz), mul(mul(linear(t->C15, t->C14, fz), fz), gamma));
  return form(t->C0, d, bcd, e, slip, shift);
}

/* curve/slip, which has a limit where both vanish; `slip` in the wanted unit, many of the file's */
TRM_INLINE num secant(const form_1989 *f, num slip, double many) {
  return fabs(value_of(slip)) < 1e-9 ? times(f->stiffness, many) : quotient(f->curve, slip);
}

/* What is left of a force under the other slip, both on one ellipse of friction */
TRM_INLINE num ellipse(num secant_here, num other_slip, num other_peak) {
  num q = quotient(mul(secant_here, other_slip), other_peak);
  return cos_arctan(q);
}

TRM_INLINE void version_1989(const trm_tire *t, const input *in, num core[TRM_TIRE_CORE]) {
  const double degree = 180 / PI;
  num fz = times(in->fz, 1e-3), alpha = times(in->alpha, -degree), zero = constant(0);
  num gamma = times(in->gamma, -degree), friction = constant(in->friction);
  num fx = zero, fy = zero, mz = zero;
  form_1989 x = {0}, y = {0};
  /* less friction: smaller peaks at smaller slips, the same stiffness */
  double stretch = 1 / in->friction;
  if (t->mode != 2) x = longitudinal_1989(t, fz, times(in->kappa, 100 * stretch));
  if (t->mode >= 2) {
    y = lateral_1989(t, fz, times(alpha, stretch), gamma);
    form_1989 z = aligning_1989(t, fz, times(alpha, stretch), gamma);
    mz = mul(friction, add(z.curve, z.shift));
  }
  if (t->mode != 2) fx = mul(friction, add(x.curve, x.shift));
  if (t->mode >= 2) fy = mul(friction, add(y.curve, y.shift));
  if (t->mode == 4) {
    num c = times(x.slip, 0.01), s = sine(times(y.slip, 1 / degree));
    fx = mul(fx, ellipse(secant(&x, c, 100), s, y.peak));
    fy = mul(fy, ellipse(secant(&y, s, degree), c, x.peak));
  }
  core[CORE_FX] = fx;
  core[CORE_FY] = fy;
  core[CORE_TURN] = mz;
  if (t->mode != 2) core[CORE_ROLL] = times(in->fz, t->UNLOADED_RADIUS * t->ROLLING_RESISTANCE);
}

TRM_INLINE void formula(const trm_tire *t, const input *in, num core[TRM_TIRE_CORE]) {
  for (int i = 0; i < TRM_TIRE_CORE; i++) core[i] = constant(0);
  if (t->mode == 0) return;
  if (t->format == TRM_TIRE_PAC2002)
    version_52(t, in, core);
  else
    version_1989(t, in, core);
}

#endif

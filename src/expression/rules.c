/* Rules of differentiation: each operation's first and second derivative. */
#include "expression/program.h"

#include <math.h>

static const trm_jet nowhere = {NAN, NAN, NAN};

/* n x^(n-1) would be 0 times infinity where the factor vanishes at x = 0. */
static trm_jet power_jet(double x, double n) {
  if (n == 2) return (trm_jet){x * x, 2 * x, 2};
  double d = n == 0 ? 0 : n * trm_power(x, n - 1);
  double dd = n == 0 || n == 1 ? 0 : n * (n - 1) * trm_power(x, n - 2);
  return (trm_jet){trm_power(x, n), d, dd};
}

trm_jet trm_unary_jet(const trm_expression *program, const trm_instruction *instruction, double x) {
  switch (instruction->op) {
#define UNARY(op, name, smooth, value, first, second)                                              \
  case TRM_OP_##op: {                                                                              \
    const double f = value, d = first;                                                             \
    return (trm_jet){f, d, second};                                                                \
  }
    TRM_UNARY_FUNCTIONS(UNARY)
  case TRM_OP_NEGATE: return (trm_jet){-x, -1, 0};
  case TRM_OP_NOT: return trm_jet_constant(trm_logic(TRM_OP_NOT, x, 0));
  case TRM_OP_FIXED_POWER: return power_jet(x, instruction->value);
  case TRM_OP_TABLE:
  case TRM_OP_BENT_TABLE: return trm_table_jet(program->tables[instruction->index], x);
  default: return nowhere;
  }
}

static trm_jet general_power(trm_jet a, trm_jet b) {
  if ((b.d == 0 && b.dd == 0) || a.f == 0) {
    trm_jet result = trm_jet_chain(power_jet(a.f, b.f), a);
    /* s^(1+s) leaves zero with a finite slope and an infinite curvature */
    if (a.f == 0 && b.f == 1) result.dd += trm_jet_times(-INFINITY, a.d * b.d);
    return result;
  }
  trm_jet exponent =
      trm_jet_multiply(b, trm_jet_chain((trm_jet){log(a.f), 1 / a.f, -1 / (a.f * a.f)}, a));
  double f = trm_power(a.f, b.f);
  if (isnan(exponent.f)) return (trm_jet){f, NAN, NAN}; /* (-2)^b exists for single b only */
  return trm_jet_chain((trm_jet){f, f, f}, exponent);
}

/* Which is larger just after this instant. */
static int compare(trm_jet a, trm_jet b) {
  if (a.f != b.f) return a.f > b.f ? 1 : -1;
  if (a.d != b.d) return a.d > b.d ? 1 : -1;
  return (a.dd > b.dd) - (a.dd < b.dd);
}

static trm_jet negative(trm_jet a) {
  return (trm_jet){-a.f, -a.d, -a.dd};
}

static trm_jet absolute(trm_jet a) {
  if (isnan(a.f)) return nowhere;
  trm_jet result = compare(a, trm_jet_constant(0)) < 0 ? negative(a) : a;
  result.f = fabs(a.f);
  return result;
}

static trm_jet extreme(trm_jet a, trm_jet b, int wanted) {
  if (isnan(a.f) || isnan(b.f)) return nowhere;
  return compare(a, b) * wanted >= 0 ? a : b;
}

/* y and x turn into polar components; at the origin the direction is undefined. */
static trm_jet angle(trm_jet y, trm_jet x) {
  double f = atan2(y.f, x.f), r = hypot(x.f, y.f), c = x.f / r, s = y.f / r;
  if (x.d == 0 && y.d == 0 && x.dd == 0 && y.dd == 0) return trm_jet_constant(f);
  double d = (c * y.d - s * x.d) / r, along = c * x.d + s * y.d;
  return (trm_jet){f, d, (c * y.dd - s * x.dd - 2 * d * along) / r};
}

/* x − y floor(x/y): the quotient is constant between jumps. */
static trm_jet remainder_of(trm_jet x, trm_jet y) {
  double whole = floor(x.f / y.f);
  return (trm_jet){trm_mod(x.f, y.f), x.d - whole * y.d, x.dd - whole * y.dd};
}

static trm_jet length(trm_jet a, trm_jet b) {
  double r = hypot(a.f, b.f), speed = hypot(a.d, b.d);
  if (r == 0 && speed == 0) return (trm_jet){0, 0, hypot(a.dd, b.dd)};
  if (r == 0) return (trm_jet){0, speed, (a.d * a.dd + b.d * b.dd) / speed};
  double c = a.f / r, s = b.f / r, across = c * b.d - s * a.d;
  return (trm_jet){r, c * a.d + s * b.d, c * a.dd + s * b.dd + across * across / r};
}

static trm_jet smooth_step(const trm_jet v[5]) {
  trm_jet x = v[0], x0 = v[1], h0 = v[2], x1 = v[3], h1 = v[4];
  double f = trm_step(x.f, x0.f, h0.f, x1.f, h1.f);
  if (isnan(f)) return nowhere;
  trm_jet result = compare(x, x0) < 0 ? h0 : h1;
  if (compare(x, x0) >= 0 && compare(x, x1) < 0) {
    trm_jet u = trm_jet_divide(trm_jet_subtract(x, x0), trm_jet_subtract(x1, x0));
    /* p = u^2 (3 - 2u) */
    trm_jet p =
        trm_jet_chain((trm_jet){u.f * u.f * (3 - 2 * u.f), 6 * u.f * (1 - u.f), 6 - 12 * u.f}, u);
    result = trm_jet_add(h0, trm_jet_multiply(trm_jet_subtract(h1, h0), p));
  }
  result.f = f;
  return result;
}

trm_jet trm_joint_jet(trm_op op, const trm_jet *v) {
  switch (op) {
  case TRM_OP_ABS: return absolute(v[0]);
  case TRM_OP_POWER: return general_power(v[0], v[1]);
  case TRM_OP_MIN: return extreme(v[0], v[1], -1);
  case TRM_OP_MAX: return extreme(v[0], v[1], 1);
  case TRM_OP_ATAN2: return angle(v[0], v[1]);
  case TRM_OP_HYPOT: return length(v[0], v[1]);
  case TRM_OP_MOD: return remainder_of(v[0], v[1]);
  case TRM_OP_STEP: return smooth_step(v);
  default: return nowhere;
  }
}

/* Roll, pitch and yaw. Yaw is the direction of the body's x axis seen from above, roll that of the
 * global z axis seen along the body's x axis. */
#include "system/cardan.h"

#include "coordinates/angle.h"
#include "math/arc.h"
#include "math/extremes.h"
#include "math/rotation_vector.h"

enum { ROLL, PITCH, YAW };
enum { YAW_TURNS, ROLL_TURNS };

#define TWO_PI 6.283185307179586476925286766559

/* The body's x axis, and the global z axis in its axes. */
static void directions_of(const double p[4], double x[3], double z[3]) {
  double w = p[0], a = p[1], b = p[2], c = p[3];
  x[0] = 1 - 2 * (b * b + c * c);
  x[1] = 2 * (a * b + w * c);
  x[2] = z[0] = 2 * (a * c - w * b);
  z[1] = 2 * (b * c + w * a);
  z[2] = 1 - 2 * (a * a + b * b);
}

/* p ∘ last⁻¹ as a rotation vector in global axes, with the full turns that `turn` tells. */
static void rotation_since(const double last[4], const double p[4], const double turn[3],
                           double phi[3]) {
  double rest[4], v[3];
  trm_cross(last + 1, p + 1, v);
  rest[0] = last[0] * p[0] + trm_dot(3, last + 1, p + 1);
  for (int i = 0; i < 3; i++) rest[1 + i] = last[0] * p[1 + i] - p[0] * last[1 + i] + v[i];
  trm_rotation_vector_of(rest, phi);
  double angle = trm_norm(3, phi), expected = trm_norm(3, turn), n[3];
  bool small = angle < 1e-6; /* then the axis is the expected one */
  for (int i = 0; i < 3; i++)
    n[i] = small ? (expected > 0 ? turn[i] / expected : 0) : phi[i] / angle;
  /* the sign of the quaternion has told one turn from two */
  double more = 2 * TWO_PI * round((trm_dot(3, turn, n) - angle) / (2 * TWO_PI));
  trm_axpy(3, more, n, phi);
}

/* How far the direction of a winding turns on the way; 0 where it is the short way for sure, being
 * farther from its pole than the body turns. */
static double way_of(const trm_winding *w, bool roll, const double last[4], const double p[4],
                     const double turn[3]) {
  double far = 2 * trm_norm(3, turn), phi[3], x[3], z[3], back[3];
  if (far < 1 && w->x * w->x + w->y * w->y > far * far) return 0;
  rotation_since(last, p, turn, phi);
  directions_of(last, x, z);
  if (!roll) return trm_arc_angle(x, phi, 0, 1);
  /* seen from the body the world turns the other way: −Rᵀφ */
  double once[3], twice[3];
  trm_cross(last + 1, phi, once);
  trm_cross(last + 1, once, twice);
  for (int i = 0; i < 3; i++) back[i] = 2 * last[0] * once[i] - 2 * twice[i] - phi[i];
  return trm_arc_angle(z, back, 2, 1);
}

static bool has_started(const double last[4]) {
  return last[0] != 0 || last[1] != 0 || last[2] != 0 || last[3] != 0;
}

void trm_system_expect(trm_system *sys, const trm_measure *measure) {
  if (measure->kind == TRM_MEASURE_FORMULA) {
    const trm_output_formula *f = &sys->model->formulas[measure->index];
    for (int i = 0; i < f->count; i++) trm_system_expect(sys, &f->measures[i]);
  }
  if (measure->kind != TRM_MEASURE_CARDAN || sys->counts_cardan[measure->index]) return;
  double x[3], z[3];
  directions_of(sys->quaternion[measure->index], x, z);
  sys->counts_cardan[measure->index] = true;
  sys->far = 0; /* unknown */
  sys->cardan[measure->index][YAW_TURNS] = (trm_winding){x[0], x[1], 0, 0};
  sys->cardan[measure->index][ROLL_TURNS] = (trm_winding){z[2], z[1], 0, 0};
}

double trm_system_accept_cardan(trm_system *sys, int body, const double p[4],
                                const double turn[3]) {
  const double *last = sys->quaternion[body];
  double x[3], z[3], far = 1;
  if (!sys->counts_cardan[body]) return far;
  directions_of(p, x, z);
  for (int k = 0; k < 2; k++) {
    trm_winding *w = &sys->cardan[body][k];
    double cosine = k == ROLL_TURNS ? z[2] : x[0], sine = k == ROLL_TURNS ? z[1] : x[1];
    double turns = w->turns;
    if (has_started(last))
      turns += trm_winding_crossings(w, cosine, sine, way_of(w, k == ROLL_TURNS, last, p, turn));
    *w = (trm_winding){cosine, sine, turns, 0};
    far = trm_smaller(far, hypot(cosine, sine));
  }
  return far;
}

/* The body's x, y and z axes. */
static void axes_of(const trm_system *sys, int body, trm_marker axis[3], double a[3][3]) {
  for (int k = 0; k < 3; k++) {
    axis[k] = trm_system_axis(sys, body, (double[3]){k == 0, k == 1, k == 2});
    trm_direction(&sys->motion, &axis[k], a[k]);
  }
}

static double counted(const trm_system *sys, int body, int k, double cosine, double sine) {
  const trm_winding *w = &sys->cardan[body][k];
  double p[4], turn[3] = {0, 0, 0}, way = 0;
  trm_axpy(3, sys->motion.since, sys->spin[body], turn);
  trm_system_orientation(sys, body, p);
  if (has_started(sys->quaternion[body]))
    way = way_of(w, k == ROLL_TURNS, sys->quaternion[body], p, turn);
  return atan2(sine, cosine) + TWO_PI * (w->turns + trm_winding_crossings(w, cosine, sine, way));
}

void trm_system_cardan(const trm_system *sys, int body, double angles[3]) {
  trm_marker axis[3];
  double a[3][3];
  axes_of(sys, body, axis, a);
  angles[ROLL] = counted(sys, body, ROLL_TURNS, a[2][2], a[1][2]);
  angles[PITCH] = atan2(-a[0][2], hypot(a[0][0], a[0][1]));
  angles[YAW] = counted(sys, body, YAW_TURNS, a[0][0], a[0][1]);
}

void trm_system_cardan_slope(const trm_system *sys, int body, int component, double scale,
                             trm_row *q) {
  const trm_motion *m = &sys->motion;
  trm_marker axis[3];
  double a[3][3], *part = trm_row_part(q, body);
  axes_of(sys, body, axis, a);
  double x = a[0][0], y = a[0][1], z = a[0][2], h = hypot(x, y);
  if (component == YAW) {
    const double s[3] = {-y / (h * h), x / (h * h), 0};
    trm_row_direction(m, &axis[0], s, scale, part);
  } else if (component == PITCH) {
    double r = h * h + z * z;
    const double s[3] = {z * x / (h * r), z * y / (h * r), -h / r};
    trm_row_direction(m, &axis[0], s, scale, part);
  } else {
    double sine = a[1][2], cosine = a[2][2], r = sine * sine + cosine * cosine;
    const double s1[3] = {0, 0, cosine / r}, s2[3] = {0, 0, -sine / r};
    trm_row_direction(m, &axis[1], s1, scale, part);
    trm_row_direction(m, &axis[2], s2, scale, part);
  }
}

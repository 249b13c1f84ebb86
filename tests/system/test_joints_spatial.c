/* Every joint of space: rows and freedoms, motion against a closed form, residual, energy, and
 * reactions by Newton and Euler; in both formulations, with every solver and correction. */
#include "space.h"

static const double pi = 3.14159265358979323846;

static state turning_about_z(double angle, double rate) {
  double c = cos(angle), s = sin(angle);
  return (state){.R = {c, -s, 0, s, c, 0, 0, 0, 1}, .w = {0, 0, rate}};
}

/* R_z(φ) R_x(ψ) */
static state turning_twice(double phi, double dphi, double psi, double dpsi) {
  double c = cos(psi), s = sin(psi), Rx[9] = {1, 0, 0, 0, c, -s, 0, s, c};
  state z = turning_about_z(phi, dphi), both = z;
  multiply(z.R, Rx, both.R);
  trm_axpy(3, dpsi, (double[3]){cos(phi), sin(phi), 0}, both.w);
  return both;
}

/* x += v t + a t²/2 */
static void fly(state *s, double t, const double v[3], const double a[3]) {
  for (int k = 0; k < 3; k++) {
    s->x[k] += v[k] * t + a[k] * t * t / 2;
    s->v[k] += v[k] + a[k] * t;
  }
}

/* A symmetric top held at a point of its axis: with L constant, the axis e turns about L at |L|/I1,
 * and ω = L/I1 + (1/I3 − 1/I1)(L·e) e. */
static state spherical_motion(double t) {
  const double I1 = 0.3 + MASS * 0.25, I3 = 0.2, w0 = 3, w3 = 8; /* w0 along x, w3 along z */
  double Lx = I1 * w0, Lz = I3 * w3, L = hypot(Lx, Lz), rate = L / I1;
  const double axis[3] = {Lx / L, 0, Lz / L};
  double spin = (1 / I3 - 1 / I1) * Lz, c = cos(rate * t), s = sin(rate * t);
  double K[9] = {0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0};
  double turn[9];
  for (int i = 0; i < 9; i++)
    turn[i] = (i % 4 == 0) * c + s * K[i] + (1 - c) * axis[i / 3] * axis[i % 3];
  state own = turning_about_z(spin * t, 0), top = {.w = {0}};
  multiply(turn, own.R, top.R);
  for (int k = 0; k < 3; k++) top.w[k] = rate * axis[k] + spin * top.R[3 * k + 2];
  return top;
}

static void spherical(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_SPHERICAL, 3, "tx ty tz", .arm = {0, 0, -0.5},
                            .inertia = {0.3, 0.3, 0.2}, .motion = spherical_motion});
}

/* A constant torque about the axis; the products of inertia and gravity along it load the bearing.
 */
static state revolute_motion(double t) {
  double I = 0.5 + MASS * 0.25, rate = 2, acceleration = 3 / I;
  return turning_about_z(rate * t + acceleration * t * t / 2, rate + acceleration * t);
}

static void revolute(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_REVOLUTE, 5, "tz", .arm = {-0.3, 0.4, 0.2},
                            .inertia = {0.6, 0.4, 0.5, 0.05, 0.1, -0.08}, .gravity = {0, 0, -9.81},
                            .torque = {0, 0, 3}, .motion = revolute_motion});
}

/* R = R_z(φ) R_x(ψ), equal inertias across x: both rates are constant. */
static state universal_motion(double t) {
  return turning_twice(3 * t, 3, 0.4 - 5 * t, -5);
}

static double along_cross(const state *s, const double f[3], const double m[3]) {
  (void)f;
  double x[3] = {s->R[0], s->R[3], s->R[6]};
  return fabs(m[2]) + fabs(trm_dot(3, m, x));
}

static void universal(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_UNIVERSAL, 4, NULL, .arm = {-0.5, 0, 0},
                            .inertia = {0.2, 0.3, 0.3}, .axes = {{0, 0, 1}, {1, 0, 0}},
                            .motion = universal_motion, .idle = along_cross});
}

static state cylindrical_motion(double t) {
  state s = revolute_motion(t);
  fly(&s, t, (double[3]){0, 0, 1.5}, (double[3]){0, 0, -9.81});
  return s;
}

static void cylindrical(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_CYLINDRICAL, 4, "fz tz", .arm = {-0.3, 0.4, 0.2},
                            .inertia = {0.6, 0.4, 0.5, 0.05, 0.1, -0.08}, .gravity = {0, 0, -9.81},
                            .torque = {0, 0, 3}, .motion = cylindrical_motion});
}

static state prismatic_motion(double t) {
  state s = turning_twice(0.5, 0, -0.3, 0);
  fly(&s, t, (double[3]){0, 0, 1.5}, (double[3]){0, 0, -4});
  return s;
}

static void prismatic(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_PRISMATIC, 5, "fz", .arm = {-0.3, 0.4, 0.2},
                            .inertia = {0.6, 0.4, 0.5, 0.05, 0.1, -0.08}, .gravity = {3, -5, -4},
                            .torque = {1, -2, 3}, .motion = prismatic_motion});
}

/* The centre of mass falls in the plane, the spin about the normal is constant. */
static state planar_motion(double t) {
  state s = turning_about_z(0.3 + 4 * t, 4);
  fly(&s, t, (double[3]){1, 2, 0}, (double[3]){3, -5, 0});
  s.x[2] = 0.2; /* ground's point is at the height of P */
  return s;
}

static void planar(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_PLANAR, 3, "fx fy tz", .arm = {-0.3, 0.4, -0.2},
                            .inertia = {0.6, 0.4, 0.5, 0.05, 0.1, -0.08}, .gravity = {3, -5, -4},
                            .com = true, .motion = planar_motion});
}

/* A conical pendulum, l = 1, held at its centre of mass; Ω² = g/(l cos α), own spin about z. */
static state conical_motion(double t) {
  double alpha = 0.6, l = 1, rate = sqrt(9.81 / (l * cos(alpha))), r = l * sin(alpha);
  state s = turning_about_z(-3 * t, -3);
  s.x[0] = r * cos(rate * t), s.x[1] = r * sin(rate * t), s.x[2] = -l * cos(alpha);
  s.v[0] = -rate * s.x[1], s.v[1] = rate * s.x[0];
  return s;
}

/* A force across the rod would do work. */
static double across_rod(const state *s, const double f[3], const double m[3]) {
  (void)m;
  double c[3];
  trm_cross(s->x, f, c);
  return trm_norm(3, c);
}

static void distance(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_DISTANCE, 1, "tx ty tz", .inertia = {0.6, 0.4, 0.5},
                            .gravity = {0, 0, -9.81}, .motion = conical_motion,
                            .idle = across_rod});
}

/* The centre of mass circles about the line while P falls along it. */
static state on_line_motion(double t) {
  state s = turning_about_z(4 * t, 4);
  fly(&s, t, (double[3]){0, 0, 1}, (double[3]){0, 0, -9.81});
  return s;
}

static void point_on_line(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_POINT_ON_LINE, 2, "fz tx ty tz", .arm = {-0.3, 0, 0},
                            .inertia = {0.6, 0.4, 0.5}, .gravity = {0, 0, -9.81}, .one_way = true,
                            .motion = on_line_motion});
}

/* A rod falling over on a smooth plane, P at its foot, h below the centre of mass:
 * (I + m h² sin² θ) θ'' = (m g − m h θ'² cos θ) h sin θ. */
static double topple(double theta, double rate) {
  const double I = 0.6, h = 0.5;
  return MASS * h * sin(theta) * (9.81 - h * rate * rate * cos(theta)) /
         (I + MASS * h * h * sin(theta) * sin(theta));
}

static void topple_to(double t, double *theta, double *rate) {
  const int steps = 400;
  double h = t / steps, a = 0.3, w = 0.5;
  for (int i = 0; i < steps; i++) {
    double a1 = topple(a, w), w2 = w + h / 2 * a1, a2 = topple(a + h / 2 * w, w2);
    double w3 = w + h / 2 * a2, a3 = topple(a + h / 2 * w2, w3);
    double w4 = w + h * a3, a4 = topple(a + h * w3, w4);
    a += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  *theta = a, *rate = w;
}

static state on_plane_motion(double t) {
  double theta, rate, h = 0.5;
  topple_to(t, &theta, &rate);
  state s = turning_twice(0, 0, theta, rate);
  fly(&s, t, (double[3]){1, -2, 0}, (double[3]){0, 0, 0});
  s.x[2] = h * cos(theta), s.v[2] = -h * rate * sin(theta);
  return s;
}

static void point_on_plane(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_POINT_ON_PLANE, 1, "fx fy tx ty tz", .arm = {0, 0, -0.5},
                            .inertia = {0.6, 0.4, 0.5}, .gravity = {0, 0, -9.81}, .com = true,
                            .one_way = true, .motion = on_plane_motion});
}

/* The centre of mass flies, the spin grows under a torque. */
static state parallel_motion(double t) {
  state s = turning_about_z(2 * t + 3 * t * t, 2 + 6 * t);
  fly(&s, t, (double[3]){1, 2, 3}, (double[3]){3, -5, -4});
  return s;
}

static void parallel(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_PARALLEL, 2, "fx fy fz tz", .arm = {-0.3, 0.4, 0.2},
                            .inertia = {0.6, 0.4, 0.5, 0.05, 0.1, -0.08}, .gravity = {3, -5, -4},
                            .torque = {0, 0, 3}, .axes = {{0, 0, 1}, {0, 0, 1}}, .com = true,
                            .motion = parallel_motion});
}

static state perpendicular_motion(double t) {
  state s = universal_motion(t);
  fly(&s, t, (double[3]){1, 2, 3}, (double[3]){3, -5, -4});
  return s;
}

static void perpendicular(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_PERPENDICULAR, 1, "fx fy fz", .arm = {-0.3, 0.4, 0.2},
                            .inertia = {0.2, 0.3, 0.3}, .gravity = {3, -5, -4},
                            .axes = {{0, 0, 1}, {1, 0, 0}}, .com = true,
                            .motion = perpendicular_motion, .idle = along_cross});
}

/* With k = pitch/2π: θ'' (I + m k²) = M − m g k. */
#define PITCH 0.5
static state screw_motion(double t) {
  double k = PITCH / (2 * pi), I = 0.5 + MASS * (0.09 + 0.16);
  double acceleration = (3 - MASS * 9.81 * k) / (I + MASS * k * k);
  double angle = 2 * t + acceleration * t * t / 2, rate = 2 + acceleration * t;
  state s = turning_about_z(angle, rate);
  s.x[2] = k * angle, s.v[2] = k * rate;
  return s;
}

static double along_thread(const state *s, const double f[3], const double m[3]) {
  (void)s;
  return PITCH / (2 * pi) * f[2] + m[2];
}

static void screw(void **unused) {
  (void)unused;
  check_joint(&(joint_case){TRM_JOINT_SCREW, 5, NULL, .arm = {-0.3, 0.4, 0.2},
                            .inertia = {0.6, 0.4, 0.5, 0.05, 0.1, -0.08}, .gravity = {0, 0, -9.81},
                            .torque = {0, 0, 3}, .pitch = PITCH, .motion = screw_motion,
                            .idle = along_thread});
}

/* Two welded bodies turning about their common centre of mass: b's at 0.6 m, a's at 0.4 m. */
static state welded_motion(double t) {
  state s = turning_about_z(5 * t, 5);
  shift(&s, (double[3]){0.6, 0, 0});
  return s;
}

static void add_partner(trm_model *model) {
  state s = turning_about_z(0, 5);
  shift(&s, (double[3]){-0.4, 0, 0});
  trm_body_def a = trm_default_body();
  a.name = "a";
  a.mass = 3;
  a.inertia[0] = a.inertia[1] = a.inertia[2] = 0.1;
  apply(turned, s.x, a.position);
  apply(turned, s.v, a.velocity);
  apply(turned, s.w, a.angular_velocity);
  memcpy(a.orientation, turned, sizeof turned);
  a.velocity_given = a.angular_velocity_given = true;
  trm_model_add_body(model, &a);
}

static void rigid(void **unused) {
  (void)unused;
  const joint_case j = {TRM_JOINT_RIGID,
                        6,
                        NULL,
                        .arm = {-0.3, 0.4, 0.2},
                        .inertia = {0.6, 0.4, 0.5},
                        .com = true,
                        .motion = welded_motion};
  for (int c = 0; c < SPACE_COMBINATIONS; c += RUN_STRIDE) {
    trm_model *model = trm_model_create(TRM_SPATIAL);
    trm_joint_def d = trm_default_joint();
    add_partner(model);
    add_body_b(model, &j);
    d.name = "J", d.type = TRM_JOINT_RIGID;
    d.connect[0] = "a", d.connect[1] = "b.P";
    trm_model_add_joint(model, &d);
    trm_results_destroy(run_checked(model, c, &j, false, 6, 6));
  }
}

/* A wheel on another axis, with a torque of 3, turns b 1.5 times as far: θ_b'' = r M/(I_a + r²
 * I_b).
 */
#define RATIO   1.5
#define I_WHEEL 0.2
#define I_B     (0.5 + MASS * 0.25)
static const double gear_torque = I_B * RATIO * 3 / (I_WHEEL + RATIO * RATIO * I_B);

static state gear_motion(double t) {
  double acceleration = gear_torque / I_B;
  return turning_about_z(3 * t + acceleration * t * t / 2, 3 + acceleration * t);
}

static void add_geared_wheel(trm_model *model) {
  trm_body_def a = trm_default_body();
  trm_joint_def bearing = trm_default_joint(), gear = trm_default_joint();
  a.name = "a", a.mass = 3, a.inertia[1] = I_WHEEL;
  a.inertia[0] = a.inertia[2] = 0.15;
  a.position[0] = 2, a.angular_velocity[1] = 2, a.angular_velocity_given = true;
  bearing.name = "A", bearing.type = TRM_JOINT_REVOLUTE;
  bearing.connect[0] = "ground.Q", bearing.connect[1] = "a";
  bearing.axis[1] = 1, bearing.axis_given = true;
  gear.name = "G", gear.type = TRM_JOINT_GEAR, gear.ratio = RATIO;
  gear.joints[0] = "A", gear.joints[1] = "J";
  add_point(model, "ground", "Q", 2, 0, 0);
  trm_model_add_body(model, &a);
  trm_model_add_joint(model, &bearing);
  trm_model_add_joint(model, &gear);
  add_torque(model, "motor", "a", (double[3]){0, 3, 0});
  trm_model_add_output(model, "G.effort");
  trm_model_add_output(model, "A");
}

static void gear(void **unused) {
  (void)unused;
  joint_case j = {TRM_JOINT_REVOLUTE,
                  5,
                  "tz",
                  .arm = {-0.3, 0.4, 0.2},
                  .inertia = {0.6, 0.4, 0.5, 0.05, 0.1, -0.08},
                  .gravity = {0, 0, -9.81},
                  .motion = gear_motion};
  for (int c = 0; c < SPACE_COMBINATIONS; c += RUN_STRIDE) {
    j.torque[2] = 0;
    trm_model *model = model_of(&j, false);
    add_geared_wheel(model);
    j.torque[2] = gear_torque; /* to b the gear is a torque about its axis */
    trm_results *results = run_checked(model, c, &j, false, 11, 1);
    for (int row = 0; row < trm_results_rows(results); row++) {
      assert_near(value_of(results, row, "G", "effort"), gear_torque, 1e-10);
      assert_near(RATIO * value_of(results, row, "A", "angle"),
                  value_of(results, row, "J", "angle"), 1e-12);
    }
    trm_results_destroy(results);
  }
}

/* Drivers of each freedom and of a point: law 0.3 sin 2t. */

static state driven_turn(double t) {
  return turning_about_z(0.3 * sin(2 * t), 0.6 * cos(2 * t));
}

static void drive_along_z(state *s, double t, double factor) {
  s->x[2] = factor * 0.3 * sin(2 * t);
  s->v[2] = factor * 0.6 * cos(2 * t);
}

static state driven_slide(double t) {
  state s = turning_twice(0.5, 0, -0.3, 0);
  drive_along_z(&s, t, 1);
  return s;
}

static state driven_turn_falling(double t) {
  state s = driven_turn(t);
  fly(&s, t, (double[3]){0, 0, 1.5}, (double[3]){0, 0, -4});
  return s;
}

static state driven_slide_turning(double t) {
  state s = revolute_motion(t);
  drive_along_z(&s, t, 1);
  return s;
}

static state driven_screw(double t) {
  state s = driven_turn(t);
  drive_along_z(&s, t, PITCH / (2 * pi));
  return s;
}

/* The global x coordinate of P is driven, P moves along the case's z. */
static state driven_point(double t) {
  state s = turning_twice(0.5, 0, -0.3, 0);
  drive_along_z(&s, t, 1 / turned[2]);
  return s;
}

typedef struct {
  trm_joint_type type;
  int rows;
  const char *of;
  double inertia, load; /* effort = inertia × law'' − load */
  state (*motion)(double t);
} driver_case;

static void check_driver(const driver_case *d) {
  const joint_case j = {d->type,
                        d->rows,
                        NULL,
                        .arm = {-0.3, 0.4, 0.2},
                        .inertia = {0.6, 0.4, 0.5, 0.05, 0.1, -0.08},
                        .gravity = {0, 0, -4},
                        .torque = {0, 0, 3},
                        .pitch = PITCH,
                        .motion = d->motion};
  for (int c = 0; c < SPACE_COMBINATIONS; c += RUN_STRIDE) {
    trm_model *model = model_of(&j, false);
    trm_joint_def driver = trm_default_joint();
    driver.name = "D", driver.type = TRM_JOINT_DRIVER;
    driver.of = d->of, driver.value = trm_formula("0.3*sin(2*t)");
    trm_model_add_joint(model, &driver);
    trm_model_add_output(model, "D");
    trm_results *results = run_checked(model, c, &j, false, d->rows + 1, 5 - d->rows);
    for (int row = 0; row < trm_results_rows(results); row++) {
      double law = -1.2 * sin(2 * trm_results_get(results, row, 0));
      assert_near(value_of(results, row, "D", "effort"), d->inertia * law - d->load, 1e-9);
    }
    trm_results_destroy(results);
  }
}

static void driver(void **unused) {
  (void)unused;
  const double along = 1 / turned[2], k = PITCH / (2 * pi);
  const driver_case cases[] = {
      {TRM_JOINT_REVOLUTE, 5, "J", I_B, 3, driven_turn},
      {TRM_JOINT_PRISMATIC, 5, "J", MASS, -4 * MASS, driven_slide},
      {TRM_JOINT_CYLINDRICAL, 4, "J.angle", I_B, 3, driven_turn_falling},
      {TRM_JOINT_CYLINDRICAL, 4, "J.displacement", MASS, -4 * MASS, driven_slide_turning},
      {TRM_JOINT_SCREW, 5, "J.angle", I_B + MASS * k * k, 3 - 4 * MASS * k, driven_screw},
      {TRM_JOINT_PRISMATIC, 5, "b.P.x", MASS * along * along, -4 * MASS * along, driven_point},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_driver(&cases[i]);
}

/* Lines and planes carried by a body that turns about z: on a line at the angle γ to z the point P
 * has s'' = (ω sin γ)² s − g cos γ, and turning the carrier takes 2 m ω r r'. */
#define OMEGA 4.0
#define START 0.3
#define TILT  1.1

static state outwards(state b, double t, double tilt, double g) {
  double c = cos(OMEGA * t), sine = sin(OMEGA * t), w = OMEGA * sin(tilt);
  double rest = g * cos(tilt) / (w * w), s = rest + (START - rest) * cosh(w * t);
  double ds = (START - rest) * w * sinh(w * t), r = s * sin(tilt), dr = ds * sin(tilt);
  b.x[0] = r * c, b.x[1] = r * sine, b.x[2] = s * cos(tilt);
  b.v[0] = dr * c - OMEGA * b.x[1], b.v[1] = dr * sine + OMEGA * b.x[0], b.v[2] = ds * cos(tilt);
  return b;
}

static state bead_motion(double t) {
  return outwards(turning_about_z(-3 * t, -3), t, TILT, 9.81);
}

static state falling_bead_motion(double t) {
  state s = outwards(turning_about_z(-3 * t, -3), t, pi / 2, 0);
  fly(&s, t, (double[3]){0, 0, 0}, (double[3]){0, 0, -9.81});
  return s;
}

static state sleeve_motion(double t) {
  return outwards(turning_about_z(OMEGA * t, OMEGA), t, TILT, 9.81);
}

static double outward_force(const state *s, const double f[3], const double m[3]) {
  (void)m;
  return trm_dot(3, f, s->x);
}

static void add_carrier(trm_model *model) {
  trm_body_def a = trm_default_body();
  trm_joint_def bearing = trm_default_joint(), drive = trm_default_joint();
  a.name = "a", a.mass = 3;
  a.inertia[0] = a.inertia[1] = a.inertia[2] = 0.1;
  memcpy(a.orientation, turned, sizeof turned);
  apply(turned, (double[3]){0, 0, OMEGA}, a.angular_velocity);
  a.angular_velocity_given = true;
  bearing.name = "A", bearing.type = TRM_JOINT_REVOLUTE;
  bearing.connect[0] = "ground", bearing.connect[1] = "a";
  apply(turned, (double[3]){0, 0, 1}, bearing.axis);
  bearing.axis_given = true;
  drive.name = "drive", drive.type = TRM_JOINT_DRIVER;
  drive.of = "A", drive.value = trm_formula("4*t");
  trm_model_add_body(model, &a);
  trm_model_add_joint(model, &bearing);
  trm_model_add_joint(model, &drive);
  trm_model_add_output(model, "drive.effort");
}

static void check_carried(const joint_case *j, const double axis[3]) {
  for (int c = 0; c < SPACE_COMBINATIONS; c += RUN_STRIDE) {
    trm_model *model = trm_model_create(TRM_SPATIAL);
    trm_joint_def d = trm_default_joint();
    double g[3];
    apply(turned, j->gravity, g);
    trm_model_set_gravity(model, g);
    add_carrier(model);
    add_body_b(model, j);
    d.name = "J", d.type = j->type;
    d.connect[0] = "a", d.connect[1] = "b.P";
    apply(turned, axis, d.axis);
    d.axis_given = true;
    trm_model_add_joint(model, &d);
    trm_results *results = run_checked(model, c, j, false, 6 + j->rows, 6 - j->rows);
    for (int row = 0; row < trm_results_rows(results); row++) {
      state now = j->motion(trm_results_get(results, row, 0));
      assert_near(value_of(results, row, "drive", "effort"),
                  2 * MASS * OMEGA * trm_dot(2, now.x, now.v), 1e-8);
    }
    trm_results_destroy(results);
  }
}

static void carried(void **unused) {
  (void)unused;
  const double along[3] = {sin(TILT), 0, cos(TILT)}, across[3] = {0, 1, 0};
  joint_case j = {TRM_JOINT_POINT_ON_LINE,
                  2,
                  "tx ty tz",
                  .inertia = {0.6, 0.4, 0.5},
                  .gravity = {0, 0, -9.81},
                  .motion = bead_motion,
                  .idle = outward_force};
  check_carried(&j, along);
  j.type = TRM_JOINT_POINT_ON_PLANE, j.rows = 1, j.free = "fz tx ty tz";
  j.motion = falling_bead_motion;
  check_carried(&j, across);
  j.motion = sleeve_motion, j.free = NULL;
  j.inertia[3] = 0.05, j.inertia[4] = 0.1, j.inertia[5] = -0.08;
  j.type = TRM_JOINT_PRISMATIC, j.rows = 5;
  check_carried(&j, along);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spherical),     cmocka_unit_test(revolute),
      cmocka_unit_test(universal),     cmocka_unit_test(cylindrical),
      cmocka_unit_test(prismatic),     cmocka_unit_test(planar),
      cmocka_unit_test(rigid),         cmocka_unit_test(distance),
      cmocka_unit_test(point_on_line), cmocka_unit_test(point_on_plane),
      cmocka_unit_test(parallel),      cmocka_unit_test(perpendicular),
      cmocka_unit_test(screw),         cmocka_unit_test(gear),
      cmocka_unit_test(driver),        cmocka_unit_test(carried),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

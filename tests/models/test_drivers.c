/* Prescribed motions: kinematics against closed forms, the drivers' efforts against inverse
 * dynamics by virtual power, joints with gears and rolling against constant accelerations. */
#include "../run.h"
#include "jet.h"

#define MAX_BODIES 5
#define G          9.81
static const double pi = 3.14159265358979323846;

typedef struct {
  const char *name;
  double mass, inertia, com; /* centre of mass on the body's x axis */
  jet x, y, angle;
} body;

/* A mechanism of one driven freedom, as functions of it. */
typedef struct {
  int count;
  body bodies[MAX_BODIES];
} motion;

typedef motion (*kinematics)(jet freedom);
/* What the applied forces give along a unit speed of the freedom. */
typedef double (*applied)(const motion *now, const motion *unit);

static double column(const trm_results *results, int row, const char *owner, const char *what) {
  char name[64];
  snprintf(name, sizeof name, "%s.%s", owner, what);
  int k = trm_results_find(results, name);
  if (k < 0) fail_msg("column %s is missing", name);
  return trm_results_get(results, row, k);
}

static void check_body(const trm_results *results, int row, const body *b) {
  static const char *const names[3][3] = {
      {"x", "vx", "ax"}, {"y", "vy", "ay"}, {"angle", "omega", "alpha"}};
  const jet *jets[3] = {&b->x, &b->y, &b->angle};
  for (int i = 0; i < 3; i++) {
    const jet *j = jets[i];
    assert_near(column(results, row, b->name, names[i][0]), j->x, 1e-9);
    assert_near(column(results, row, b->name, names[i][1]), j->v, 1e-9);
    assert_near(column(results, row, b->name, names[i][2]), j->a, 1e-9 * (1 + fabs(j->a)));
  }
}

static jet com_x(const body *b) {
  return jet_add(b->x, jet_scale(b->com, jet_cos(b->angle)));
}

static jet com_y(const body *b) {
  return jet_add(b->y, jet_scale(b->com, jet_sin(b->angle)));
}

/* Σ m (a − g)·∂v/∂w + I α ∂ω/∂w: what the driver and the applied forces must give together. */
static double inertia_power(const motion *now, const motion *unit) {
  double power = 0;
  for (int i = 0; i < now->count; i++) {
    const body *b = &now->bodies[i], *u = &unit->bodies[i];
    power += b->mass * com_x(b).a * com_x(u).v + b->mass * (com_y(b).a + G) * com_y(u).v +
             b->inertia * b->angle.a * u->angle.v;
  }
  return power;
}

/* Every row of a run against the closed form; `law` is the driven freedom. */
static void check_driven(const trm_results *results, jet (*law)(double), kinematics move,
                         applied forces) {
  double largest = 0;
  for (int row = 0; row < trm_results_rows(results); row++) {
    jet s = law(trm_results_get(results, row, 0));
    motion now = move(s), unit = move((jet){s.x, 1, 0});
    for (int i = 0; i < now.count; i++) check_body(results, row, &now.bodies[i]);
    double effort = inertia_power(&now, &unit) - forces(&now, &unit);
    assert_near(column(results, row, "drive", "effort"), effort, 1e-9 * (1 + fabs(effort)));
    largest = larger(largest, fabs(effort));
  }
  assert_true(largest > 0.5); /* there was something to see */
}

/* Runs a model with every formulation, solver and both corrections. */
static void for_all(const char *path, void (*check)(const trm_results *results)) {
  trm_model *model = run_load(path);
  for (int c = 0; c < 2 * RUN_FORMULATIONS * RUN_SOLVERS; c += RUN_STRIDE) {
    trm_settings settings = *trm_model_settings(model);
    settings.coordinates = run_formulations[c / 2 % RUN_FORMULATIONS];
    settings.solver = run_solvers[c / 2 / RUN_FORMULATIONS];
    settings.stabilization = c % 2 ? "partition" : "direct";
    trm_summary summary;
    trm_results *results = run_model(model, &settings, &summary);
    assert_true(summary.max_position_violation <= 1e-12);
    assert_int_equal(summary.redundant_constraints, 0);
    check(results);
    trm_results_destroy(results);
  }
  trm_model_destroy(model);
}

/* models/driven_four_bar.yaml */

enum { CRANK, COUPLER, ROCKER };
static const double a = 0.1, b = 0.35, c = 0.3, g = 0.4, mu = 3;

static jet four_bar_law(double t) {
  double w = 2 * pi, ripple = 0.2;
  return (jet){pi / 3 + w * t - ripple * sin(w * t), w - ripple * w * cos(w * t),
               ripple * w * w * sin(w * t)};
}

static body bar(const char *name, double length, jet x, jet y, jet angle) {
  return (body){name, mu * length, mu * length * length * length / 12, length / 2, x, y, angle};
}

/* f: B to D; C lies above it, at the angle acos((b² + f² − c²)/(2bf)) from BD */
static motion four_bar_motion(jet theta) {
  jet xB = jet_scale(a, jet_cos(theta)), yB = jet_scale(a, jet_sin(theta));
  jet dx = jet_sub(jet_of(g), xB), dy = jet_scale(-1, yB);
  jet f2 = jet_add(jet_mul(dx, dx), jet_mul(dy, dy));
  jet cosine =
      jet_mul(jet_add(jet_of(b * b - c * c), f2), jet_inverse(jet_scale(2 * b, jet_sqrt(f2))));
  jet at_B = jet_sub(jet_of(pi / 2), jet_asin(cosine));
  jet phi = jet_add(jet_atan2(dy, dx), at_B);
  jet xC = jet_add(xB, jet_scale(b, jet_cos(phi))), yC = jet_add(yB, jet_scale(b, jet_sin(phi)));
  jet psi = jet_atan2(yC, jet_sub(xC, jet_of(g)));
  return (motion){3,
                  {bar("crank", a, jet_of(0), jet_of(0), theta), bar("coupler", b, xB, yB, phi),
                   bar("rocker", c, jet_of(g), jet_of(0), psi)}};
}

static double load(const motion *now) {
  return -1 - 0.2 * now->bodies[ROCKER].angle.v;
}

static double load_power(const motion *now, const motion *unit) {
  return load(now) * unit->bodies[ROCKER].angle.v;
}

/* Newton for the whole, Newton for the coupler, Euler for the rocker about D. */
static void check_four_bar_reactions(const trm_results *results, int row) {
  motion now = four_bar_motion(four_bar_law(trm_results_get(results, row, 0)));
  double fx = 0, fy = 0;
  for (int i = 0; i < 3; i++) {
    fx += now.bodies[i].mass * com_x(&now.bodies[i]).a;
    fy += now.bodies[i].mass * (com_y(&now.bodies[i]).a + G);
  }
  assert_near(column(results, row, "A", "fx") + column(results, row, "D", "fx"), fx, 1e-8);
  assert_near(column(results, row, "A", "fy") + column(results, row, "D", "fy"), fy, 1e-8);
  const body *coupler = &now.bodies[COUPLER], *rocker = &now.bodies[ROCKER];
  double cx = column(results, row, "C", "fx"), cy = column(results, row, "C", "fy");
  assert_near(column(results, row, "B", "fx") - cx, coupler->mass * com_x(coupler).a, 1e-8);
  assert_near(column(results, row, "B", "fy") - cy, coupler->mass * (com_y(coupler).a + G), 1e-8);
  double x = cos(rocker->angle.x), y = sin(rocker->angle.x), half = c / 2;
  double moment = c * (x * cy - y * cx) - half * x * rocker->mass * G + load(&now);
  double about_D = rocker->inertia + rocker->mass * half * half;
  assert_near(moment, about_D * rocker->angle.a, 1e-8);
}

static void check_four_bar(const trm_results *results) {
  check_driven(results, four_bar_law, four_bar_motion, load_power);
  for (int row = 0; row < trm_results_rows(results); row += 7)
    check_four_bar_reactions(results, row);
  int last = trm_results_rows(results) - 1; /* two turns, counted */
  assert_near(column(results, last, "crank", "angle"), pi / 3 + 4 * pi, 1e-9);
}

static void driven_four_bar(void **state) {
  (void)state;
  for_all("models/driven_four_bar.yaml", check_four_bar);
}

/* models/driven_quick_return.yaml */

enum { RAM = 4 };

static jet quick_return_law(double t) {
  double T = 2, w = 2 * pi / T;
  return (jet){pi / 2 + 4 * pi * (t / T - sin(w * t) / (2 * pi)), 4 * pi / T * (1 - cos(w * t)),
               4 * pi / T * w * sin(w * t)};
}

static motion quick_return_motion(jet theta) {
  const double r = 0.1, h = 0.25, p = 0.5, l = 0.25, lift = 0.48;
  jet xB = jet_scale(r, jet_cos(theta)), yB = jet_scale(r, jet_sin(theta));
  jet lean = jet_atan2(jet_add(yB, jet_of(h)), xB);
  jet xD = jet_scale(p, jet_cos(lean)), yD = jet_add(jet_of(-h), jet_scale(p, jet_sin(lean)));
  jet rise = jet_sub(jet_of(lift - h), yD);
  jet reach = jet_sqrt(jet_sub(jet_of(l * l), jet_mul(rise, rise)));
  jet tilt = jet_sub(jet_of(-pi), jet_asin(jet_scale(1 / l, rise)));
  return (motion){5,
                  {{"crank", 1.2, 2e-3, r / 2, jet_of(0), jet_of(0), theta},
                   {"block", 0.3, 1e-4, 0, xB, yB, lean},
                   {"rocker", 3, 0.07, p / 2, jet_of(0), jet_of(-h), lean},
                   {"link", 0.8, 5e-3, l / 2, xD, yD, tilt},
                   {"ram", 8, 0.05, 0, jet_sub(xD, reach), jet_of(lift - h), jet_of(0)}}};
}

static double tool_power(const motion *now, const motion *unit) {
  return -300 * now->bodies[RAM].x.v * unit->bodies[RAM].x.v;
}

static void check_quick_return(const trm_results *results) {
  check_driven(results, quick_return_law, quick_return_motion, tool_power);
  for (int row = 0; row < trm_results_rows(results); row += 7) { /* Newton for the ram */
    motion now = quick_return_motion(quick_return_law(trm_results_get(results, row, 0)));
    const body *ram = &now.bodies[RAM];
    double along = ram->mass * ram->x.a + 300 * ram->x.v;
    assert_near(column(results, row, "E", "fx") + column(results, row, "guide", "fx"), along, 1e-8);
    assert_near(column(results, row, "guide", "fx"), 0, 1e-8);
    assert_near(column(results, row, "E", "fy") + column(results, row, "guide", "fy"), 8 * G, 1e-8);
  }
}

static void driven_quick_return(void **state) {
  (void)state;
  for_all("models/driven_quick_return.yaml", check_quick_return);
}

/* models/cam.yaml */

/* u − sin(2πu)/(2π) over `length` from `start`, held before and after */
static jet cycloid(double t, double start, double length) {
  double u = (t - start) / length, k = 2 * pi;
  if (u <= 0) return jet_of(0);
  if (u >= 1) return jet_of(1);
  return (jet){u - sin(k * u) / k, (1 - cos(k * u)) / length, k * sin(k * u) / (length * length)};
}

static void check_cam(const trm_results *results) {
  const double m = 0.6, k = 4000, lift = 0.02, squeeze = 0.01;
  double highest = 0;
  for (int row = 0; row < trm_results_rows(results); row++) {
    double t = trm_results_get(results, row, 0);
    jet y = jet_scale(lift, jet_sub(cycloid(t, 0.02, 0.06), cycloid(t, 0.12, 0.05)));
    check_body(results, row, &(body){"follower", m, 0, 0, jet_of(0), y, jet_of(0)});
    double effort = m * (y.a + G) + k * (y.x + squeeze);
    assert_near(column(results, row, "lift", "effort"), effort, 1e-8);
    assert_near(column(results, row, "lift", "fy"), effort, 1e-8);
    assert_near(column(results, row, "spring", "force"), -k * (y.x + squeeze), 1e-8);
    assert_near(column(results, row, "guide", "fx"), 0, 1e-8);
    assert_near(column(results, row, "guide", "tz"), 0, 1e-8);
    highest = larger(highest, y.x);
  }
  assert_near(highest, lift, 1e-15);
}

static void cam(void **state) {
  (void)state;
  for_all("models/cam.yaml", check_cam);
}

/* models/gears.yaml: constant accelerations */
static void check_gears(const trm_results *results) {
  const double i = 20.0 / 60, r = 0.025, I1 = 8e-5, I2 = 3.6e-3, m = 12, M = 1.1;
  double alpha = (M - m * G * r * i) / (I1 + i * i * I2 + r * i * r * i * m);
  double force = m * (r * i * alpha + G), torque = -i * alpha * I2 - r * force;
  for (int row = 0; row < trm_results_rows(results); row++) {
    double t = trm_results_get(results, row, 0), theta = alpha * t * t / 2;
    assert_near(column(results, row, "A", "angle"), theta, 1e-8);
    assert_near(column(results, row, "B", "angle"), -i * column(results, row, "A", "angle"), 1e-9);
    assert_near(column(results, row, "guide", "displacement"),
                r * i * column(results, row, "A", "angle"), 1e-9);
    assert_near(column(results, row, "A", "rate"), alpha * t, 1e-8);
    assert_near(column(results, row, "pinion", "alpha"), alpha, 1e-7);
    assert_near(column(results, row, "rack", "ay"), r * i * alpha, 1e-9);
    assert_near(column(results, row, "lift", "effort"), force, 1e-7);
    assert_near(column(results, row, "mesh", "effort"), torque, 1e-7);
  }
}

static void gears(void **state) {
  (void)state;
  for_all("models/gears.yaml", check_gears);
}

/* models/rolling_wheel.yaml with a wedge of mass M */
static void check_disc(const trm_results *results, double M) {
  const double alpha = 25 * pi / 180, R = 0.2, m = 2, kappa = 0.5;
  double ca = cos(alpha), sa = sin(alpha), s = G * sa / (1 + kappa - m * ca * ca / (m + M));
  double X = -m * s * ca / (m + M), ax = X + s * ca, ay = -s * sa;
  for (int row = 0; row < trm_results_rows(results); row++) {
    double t = trm_results_get(results, row, 0), half = t * t / 2;
    assert_near(column(results, row, "contact", "displacement"), s * half, 1e-8);
    assert_near(column(results, row, "contact", "angle"), -s * half / R, 1e-8);
    assert_near(column(results, row, "floor", "displacement"), X * half, 1e-8);
    assert_near(column(results, row, "disc", "vx"), ax * t, 1e-8);
    assert_near(column(results, row, "disc", "ax"), ax, 1e-8);
    assert_near(column(results, row, "disc", "ay"), ay, 1e-8);
    assert_near(column(results, row, "disc", "alpha"), -s / R, 1e-7);
    assert_near(column(results, row, "contact", "fx"), m * ax, 1e-7); /* Newton for the disc */
    assert_near(column(results, row, "contact", "fy"), m * (ay + G), 1e-7);
    assert_near(column(results, row, "momentum", "px"), 0, 1e-9 * (m + M));
  }
}

static void check_light_wedge(const trm_results *results) {
  check_disc(results, 5);
}

static void rolling_wheel(void **state) {
  (void)state;
  for_all("models/rolling_wheel.yaml", check_light_wedge);
  const char *const heavy[] = {"M=1e9", NULL}; /* as good as a fixed slope */
  trm_model *model = trm_model_load("models/rolling_wheel.yaml", heavy, NULL, NULL);
  assert_non_null(model);
  trm_results *results = run_model(model, trm_model_settings(model), NULL);
  check_disc(results, 1e9);
  int last = trm_results_rows(results) - 1;
  double fixed = G * sin(25 * pi / 180) / 1.5; /* g sin α/(1 + κ) */
  assert_near(2 * column(results, last, "contact", "displacement"), fixed, 1e-7);
  trm_results_destroy(results);
  trm_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(driven_four_bar),
      cmocka_unit_test(driven_quick_return),
      cmocka_unit_test(cam),
      cmocka_unit_test(gears),
      cmocka_unit_test(rolling_wheel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A body on one joint in space: its motion in closed form, its reactions by Newton and Euler. Cases
 * are written with the joint's axis along z and then turned, so that no axis of the model is one of
 * the coordinate axes. */
#ifndef TRM_TESTS_SYSTEM_SPACE_H
#define TRM_TESTS_SYSTEM_SPACE_H

#include "../run.h"
#include "math/vector.h"

#define MASS 2.0
static const double com_of_b[3] = {0.1, -0.2, 0.05};
/* The case's axes in global components: R_z(0.7) R_x(1.1), row-major. */
#define C7  0.764842187284488426
#define S7  0.644217687237691053
#define C11 0.453596121425577388
#define S11 0.891207360061435340
static const double turned[9] = {C7, -S7 *C11, S7 *S11, S7, C7 *C11, -C7 *S11, 0, S11, C11};

/* Of the body: orientation and spin, position and velocity of one of its points. */
typedef struct {
  double R[9], w[3], x[3], v[3];
} state;

typedef struct {
  trm_joint_type type;
  int rows;
  const char *free;  /* components of the reaction that do no work: "fz tz" */
  double arm[3];     /* from the centre of mass to the joint's point P, body axes */
  double inertia[6]; /* about the centre of mass */
  double gravity[3]; /* in the case's axes, as all that follows */
  double torque[3];  /* applied, constant */
  double axes[2][3]; /* of ground and of the body; all zero: `axis` z */
  double ground[3];  /* the joint's point there */
  double pitch;      /* screw */
  bool com;          /* `motion` tells of the centre of mass, not of P */
  bool one_way;      /* ground and body cannot change places */
  state (*motion)(double t);
  double (*idle)(const state *s, const double f[3], const double m[3]); /* zero, or NULL */
} joint_case;

static inline void apply(const double R[9], const double u[3], double v[3]) {
  for (int i = 0; i < 3; i++) v[i] = trm_dot(3, R + 3 * i, u);
}

static inline void apply_inverse(const double R[9], const double u[3], double v[3]) {
  for (int i = 0; i < 3; i++) v[i] = R[i] * u[0] + R[3 + i] * u[1] + R[6 + i] * u[2];
}

static inline void multiply(const double A[9], const double B[9], double AB[9]) {
  for (int i = 0; i < 9; i++)
    AB[i] =
        A[i / 3 * 3] * B[i % 3] + A[i / 3 * 3 + 1] * B[3 + i % 3] + A[i / 3 * 3 + 2] * B[6 + i % 3];
}

/* Moves the state's point by `u` of the body. */
static inline void shift(state *s, const double u[3]) {
  double r[3], dr[3];
  apply(s->R, u, r);
  trm_cross(s->w, r, dr);
  trm_add(3, r, s->x);
  trm_add(3, dr, s->v);
}

static inline double value_of(const trm_results *results, int row, const char *owner,
                              const char *what) {
  char name[64];
  snprintf(name, sizeof name, "%s.%s", owner, what);
  int column = trm_results_find(results, name);
  if (column < 0) fail_msg("column %s is missing", name);
  return trm_results_get(results, row, column);
}

/* "b.v" → (b.vx, b.vy, b.vz) */
static inline void vector_of(const trm_results *results, int row, const char *owner,
                             const char *what, double v[3]) {
  for (int k = 0; k < 3; k++) {
    char name[32];
    snprintf(name, sizeof name, "%s%c", what, 'x' + k);
    v[k] = value_of(results, row, owner, name);
  }
}

static inline void matrix_of(const trm_results *results, int row, const char *body, double R[9]) {
  double u[3], w = value_of(results, row, body, "qw");
  vector_of(results, row, body, "q", u);
  for (int k = 0; k < 3; k++) {
    double e[3] = {k == 0, k == 1, k == 2}, c[3];
    trm_cross(u, e, c);
    for (int i = 0; i < 3; i++)
      R[3 * i + k] = (2 * w * w - 1) * e[i] + 2 * u[i] * u[k] + 2 * w * c[i];
  }
}

/* I u with the tensor of `inertia` in body axes, u global. */
static inline void inertia_times(const double I[6], const double R[9], const double u[3],
                                 double Iu[3]) {
  const double full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  double local[3], turned_local[3];
  apply_inverse(R, u, local);
  apply(full, local, turned_local);
  apply(R, turned_local, Iu);
}

/* m (a − g) at the centre of mass, and I α + ω × I ω: what all other forces must give together. */
static inline void newton_euler(const trm_results *results, int row, const char *body, double mass,
                                const double inertia[6], const double com[3],
                                const double gravity[3], double force[3], double torque[3]) {
  double R[9], w[3], alpha[3], a[3], r[3], c[3], cc[3], Iw[3];
  matrix_of(results, row, body, R);
  vector_of(results, row, body, "w", w);
  vector_of(results, row, body, "alpha", alpha);
  vector_of(results, row, body, "a", a);
  apply(R, com, r);
  trm_cross(alpha, r, c);
  trm_add(3, c, a);
  trm_cross(w, r, c);
  trm_cross(w, c, cc);
  trm_add(3, cc, a);
  for (int k = 0; k < 3; k++) force[k] = mass * (a[k] - gravity[k]);
  inertia_times(inertia, R, alpha, torque);
  inertia_times(inertia, R, w, Iw);
  trm_cross(w, Iw, c);
  trm_add(3, c, torque);
}

/* Combinations of formulation, solver and correction. */
#define SPACE_COMBINATIONS 12
static inline trm_settings space_settings(int c) {
  static const char *const formulations[2] = {"natural", "euler-parameters"};
  trm_settings settings = trm_default_settings();
  settings.coordinates = formulations[c % 2];
  settings.solver = run_solvers[c / 4];
  settings.stabilization = c / 2 % 2 ? "partition" : "direct";
  settings.integrator = "rk6";
  settings.step = 2e-3;
  settings.duration = 0.4;
  settings.output_step = 0.02;
  settings.tolerance = 1e-13;
  return settings;
}

static inline void add_point(trm_model *model, const char *body, const char *name, double x,
                             double y, double z) {
  const double at[3] = {x, y, z};
  trm_model_add_point(model, body, name, at);
}

/* Finishes the model, counts, runs and checks what every joint promises. */
static inline trm_results *run_joint(trm_model *model, const trm_settings *settings, int rows,
                                     int freedoms) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  if (trm_model_finish(model, diagnostics) != TRM_OK) run_print(diagnostics);
  trm_simulation *sim = trm_simulation_create(model, settings, diagnostics, NULL);
  if (!sim) run_print(diagnostics);
  assert_non_null(sim);
  trm_inspection found = trm_simulation_inspect(sim);
  int intrinsic = strcmp(settings->coordinates, "natural") == 0 ? 6 : 1;
  assert_int_equal(found.constraints, intrinsic * found.bodies + rows);
  assert_int_equal(found.degrees_of_freedom, freedoms);
  assert_int_equal(found.redundant, 0);
  assert_true(found.position_gap <= 1e-14 && found.velocity_gap <= 1e-14);
  trm_results *results = trm_results_create();
  trm_status status = trm_simulation_run(sim, results, NULL, NULL, diagnostics);
  if (status != TRM_OK) run_print(diagnostics);
  assert_int_equal(status, TRM_OK);
  const trm_summary *summary = trm_simulation_summary(sim);
  assert_true(summary->max_position_violation <= 1e-12);
  assert_true(summary->max_velocity_violation <= 1e-12);
  assert_true(summary->max_energy_error <= 1e-9);
  trm_simulation_destroy(sim);
  trm_diagnostics_destroy(diagnostics);
  return results;
}

static inline void add_body_b(trm_model *model, const joint_case *j) {
  state s = j->motion(0);
  trm_body_def b = trm_default_body();
  double back[3], P[3];
  for (int k = 0; k < 3; k++) {
    P[k] = com_of_b[k] + j->arm[k];
    back[k] = -(j->com ? com_of_b[k] : P[k]);
    b.com[k] = com_of_b[k];
  }
  shift(&s, back);
  b.name = "b";
  b.mass = MASS;
  memcpy(b.inertia, j->inertia, sizeof b.inertia);
  apply(turned, s.x, b.position);
  apply(turned, s.v, b.velocity);
  apply(turned, s.w, b.angular_velocity);
  multiply(turned, s.R, b.orientation);
  b.velocity_given = b.angular_velocity_given = true;
  trm_model_add_body(model, &b);
  trm_model_add_point(model, "b", "P", P);
}

static inline void add_joint_j(trm_model *model, const joint_case *j, bool swapped) {
  trm_joint_def d = trm_default_joint();
  d.name = "J";
  d.type = j->type;
  d.connect[swapped] = "ground.O";
  d.connect[!swapped] = "b.P";
  if (j->type == TRM_JOINT_SCREW) d.pitch = j->pitch;
  d.axes_given = trm_norm(3, j->axes[0]) > 0;
  apply(turned, j->axes[0], d.axes[swapped]);
  memcpy(d.axes[!swapped], j->axes[1], sizeof d.axes[0]);
  bool plain = j->type == TRM_JOINT_SPHERICAL || j->type == TRM_JOINT_DISTANCE;
  d.axis_given = !d.axes_given && !plain;
  if (d.axis_given) apply(turned, (double[3]){0, 0, 1}, d.axis);
  trm_model_add_joint(model, &d);
}

static inline void add_torque(trm_model *model, const char *name, const char *body,
                              const double m[3]) {
  trm_force_def f = trm_default_force();
  f.name = name;
  f.type = TRM_FORCE_TORQUE;
  f.connect[0] = body;
  for (int k = 0; k < 3; k++) f.value[k] = trm_number(m[k]);
  trm_model_add_force(model, &f);
}

static inline trm_model *model_of(const joint_case *j, bool swapped) {
  trm_model *model = trm_model_create(TRM_SPATIAL);
  double g[3], O[3], m[3];
  apply(turned, j->gravity, g);
  apply(turned, j->ground, O);
  apply(turned, j->torque, m);
  trm_model_set_gravity(model, g);
  trm_model_add_point(model, "ground", "O", O);
  add_body_b(model, j);
  add_joint_j(model, j, swapped);
  add_torque(model, "M", "b", m);
  return model;
}

static inline void check_motion(const trm_results *results, int row, const joint_case *j) {
  static const char *const names[3] = {"", "v", "w"};
  state s = j->motion(trm_results_get(results, row, 0));
  double back[3], R[9], expected_R[9];
  for (int k = 0; k < 3; k++) back[k] = -com_of_b[k] - (j->com ? 0 : j->arm[k]);
  shift(&s, back);
  const double *vectors[3] = {s.x, s.v, s.w};
  for (int i = 0; i < 3; i++) {
    double found[3], expected[3];
    vector_of(results, row, "b", names[i], found);
    apply(turned, vectors[i], expected);
    for (int k = 0; k < 3; k++) assert_near(found[k], expected[k], 1e-10);
  }
  matrix_of(results, row, "b", R);
  multiply(turned, s.R, expected_R);
  for (int k = 0; k < 9; k++) assert_near(R[k], expected_R[k], 1e-10);
}

/* The reaction on b about its centre of mass, from the one on the second at the second's point. */
static inline void reaction_on_b(const trm_results *results, int row, const char *joint,
                                 const joint_case *j, bool swapped, double force[3],
                                 double torque[3]) {
  double at[3], com[3], origin[3], R[9], arm[3], moment[3], sign = swapped ? -1 : 1;
  matrix_of(results, row, "b", R);
  vector_of(results, row, "b", "", origin);
  vector_of(results, row, "b.P", "", at);
  apply(R, com_of_b, com);
  trm_add(3, origin, com);
  if (swapped) apply(turned, j->ground, at);
  vector_of(results, row, joint, "f", force);
  vector_of(results, row, joint, "t", torque);
  trm_sub(3, at, com, arm);
  trm_cross(arm, force, moment);
  for (int k = 0; k < 3; k++) torque[k] = sign * (torque[k] + moment[k]), force[k] *= sign;
}

static inline void check_balance(const trm_results *results, int row, const joint_case *j,
                                 bool swapped) {
  double g[3], m[3], f[3], torque[3], force[3], moment[3];
  apply(turned, j->gravity, g);
  apply(turned, j->torque, m);
  newton_euler(results, row, "b", MASS, j->inertia, com_of_b, g, force, moment);
  reaction_on_b(results, row, "J", j, swapped, f, torque);
  if (trm_results_find(results, "D.fx") >= 0) { /* a driver's too */
    double fD[3], torqueD[3];
    reaction_on_b(results, row, "D", j, swapped, fD, torqueD);
    trm_add(3, fD, f);
    trm_add(3, torqueD, torque);
  }
  for (int k = 0; k < 3; k++) {
    assert_near(f[k], force[k], 1e-9);
    assert_near(torque[k] + m[k], moment[k], 1e-9);
  }
}

/* No reaction along a freedom. */
static inline void check_freedoms(const trm_results *results, int row, const joint_case *j) {
  double global[3], local[2][3];
  for (int i = 0; i < 2; i++) {
    vector_of(results, row, "J", i ? "t" : "f", global);
    apply_inverse(turned, global, local[i]);
  }
  for (const char *c = j->free; c && *c; c += c[2] ? 3 : 2)
    assert_near(local[c[0] == 't'][c[1] - 'x'], 0, 1e-10);
  state s = j->motion(trm_results_get(results, row, 0));
  if (j->idle) assert_near(j->idle(&s, local[0], local[1]), 0, 1e-10);
}

/* Returns the largest force or torque, to see that there is one. */
static inline double largest_reaction(const trm_results *results, int row) {
  double f[3], m[3];
  vector_of(results, row, "J", "f", f);
  vector_of(results, row, "J", "t", m);
  return larger(trm_norm(3, f), trm_norm(3, m));
}

/* Runs with every row, then checks the motion and reactions of b; the model is given up. */
static inline trm_results *run_checked(trm_model *model, int combination, const joint_case *j,
                                       bool swapped, int rows, int freedoms) {
  trm_settings settings = space_settings(combination);
  trm_model_add_output(model, "b");
  trm_model_add_output(model, "J");
  trm_results *results = run_joint(model, &settings, rows, freedoms);
  assert_int_equal(trm_results_rows(results), 21);
  for (int row = 0; row < trm_results_rows(results); row++) {
    check_motion(results, row, j);
    check_balance(results, row, j, swapped);
    check_freedoms(results, row, j);
  }
  assert_true(largest_reaction(results, 20) > 0.5);
  trm_model_destroy(model);
  return results;
}

static inline void check_joint(const joint_case *j) {
  for (int c = 0; c < SPACE_COMBINATIONS; c += RUN_STRIDE) {
    bool swapped = !j->one_way && c / 2 % 2;
    trm_model *model = model_of(j, swapped);
    trm_results_destroy(run_checked(model, c, j, swapped, j->rows, 6 - j->rows));
  }
}

#endif

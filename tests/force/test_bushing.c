/* Bushings in every formulation: force and torque against differences of an energy computed
 * independently from poses, damping against differences of the deflection, small and large
 * rotations. */
#include <string.h>

#include "../check.h"
#include "force/element.h"
#include "system/system.h"

#define BODIES 2
#define H      1e-5

static const trm_coordinates *const all[] = {
    &trm_natural_planar,  &trm_angle_planar,         &trm_euler_planar, &trm_cartesian_planar,
    &trm_natural_spatial, &trm_natural_spatial_flat, &trm_euler_spatial};
#define COUNT ((int)(sizeof all / sizeof *all))

/* --- rigid bodies of the test's own: x and R (axes in columns), moved by exact rotations --- */

typedef struct pose {
  double x[3], R[3][3];
} pose;

static void multiply(double A[3][3], double B[3][3], double C[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      C[i][j] = 0;
      for (int k = 0; k < 3; k++) C[i][j] += A[i][k] * B[k][j];
    }
}

static void tilde(const double w[3], double T[3][3]) {
  double found[3][3] = {{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}};
  memcpy(T, found, sizeof found);
}

/* Σ T^n/(n + shift)!: the exponential for shift 0, the left Jacobian for shift 1 */
static void power_series(const double w[3], int shift, double S[3][3]) {
  double T[3][3], term[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, next[3][3];
  tilde(w, T);
  memcpy(S, term, sizeof term);
  for (int n = 1; n < 40; n++) {
    multiply(term, T, next);
    for (int k = 0; k < 9; k++) term[k / 3][k % 3] = next[k / 3][k % 3] / (n + shift);
    for (int k = 0; k < 9; k++) S[k / 3][k % 3] += term[k / 3][k % 3];
  }
}

/* twist[6] = v of the origin and ω, global */
static pose moved(const pose *p, const double *twist, double h) {
  pose out = *p;
  double w[3], E[3][3], R[3][3];
  for (int i = 0; i < 3; i++) {
    out.x[i] += h * twist[i];
    w[i] = h * twist[3 + i];
  }
  power_series(w, 0, E);
  memcpy(R, p->R, sizeof R);
  multiply(E, R, out.R);
  return out;
}

static pose pose_of(double x, double y, double z, double a, double b, double c) {
  pose p = {{x, y, z}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  double twist[6] = {0, 0, 0, a, b, c};
  return moved(&p, twist, 1);
}

/* --- the bushing, with all that it is made of in the open --- */

typedef struct bench {
  int dim, n;
  bool grounded; /* the first is the ground */
  pose written[2], now[2];
  double twist[2][6];
  double K[36], D[36], preload[6];
  double axes[3][3]; /* columns: the bushing's axes in the first's frame */
  double point[2][3];
} bench;

/* φ of A by the trace and the skew part: fit for angles neither small nor near π */
static void rotation_of(double A[3][3], double phi[3]) {
  double angle = acos((A[0][0] + A[1][1] + A[2][2] - 1) / 2);
  double skew[3] = {A[2][1] - A[1][2], A[0][2] - A[2][0], A[1][0] - A[0][1]};
  for (int i = 0; i < 3; i++) phi[i] = skew[i] * angle / (2 * sin(angle));
}

static void transpose(double A[3][3], double T[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) T[i][j] = A[j][i];
}

/* B = R0 axes; the second's is parallel to it as written */
static void deflection_of(const bench *t, const pose *p0, const pose *p1, double u[6]) {
  double R0[3][3], R1[3][3], W0[3][3], W1[3][3], A[3][3], B[3][3], BT[3][3], T[3][3], C[3][3];
  memcpy(R0, p0->R, sizeof R0);
  memcpy(R1, p1->R, sizeof R1);
  memcpy(W0, t->written[0].R, sizeof W0);
  memcpy(W1, t->written[1].R, sizeof W1);
  memcpy(A, t->axes, sizeof A);
  multiply(R0, A, B);
  transpose(B, BT);
  double gap[3];
  for (int i = 0; i < 3; i++)
    gap[i] = p1->x[i] + trm_dot(3, R1[i], t->point[1]) - p0->x[i] - trm_dot(3, R0[i], t->point[0]);
  for (int k = 0; k < 3; k++) u[k] = trm_dot(3, BT[k], gap);
  transpose(W1, T);
  multiply(R1, T, C); /* R1 W1ᵀ W0 axes: the second's bushing axes now */
  multiply(C, W0, T);
  multiply(T, A, C);
  multiply(BT, C, T);
  if (t->dim == 3)
    rotation_of(T, u + 3);
  else
    u[2] = atan2(T[1][0], T[0][0]);
}

static double energy_of(const bench *t, const pose *p0, const pose *p1) {
  double u[6], V = 0;
  deflection_of(t, p0, p1, u);
  for (int i = 0; i < t->n; i++) {
    V -= t->preload[i] * u[i];
    for (int j = 0; j < t->n; j++) V += u[i] * t->K[i * t->n + j] * u[j] / 2;
  }
  return V;
}

/* M = GGᵀ + 1: symmetric, full, positive */
static void fill(double *M, int n, double seed) {
  double G[36];
  for (int k = 0; k < n * n; k++) G[k] = sin(seed + 1.7 * k);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      M[i * n + j] = i == j;
      for (int k = 0; k < n; k++) M[i * n + j] += G[i * n + k] * G[j * n + k];
    }
}

static bench bench_of(int dim, bool grounded) {
  bool space = dim == 3;
  bench t = {.dim = dim, .n = space ? 6 : 3, .grounded = grounded};
  t.written[0] = pose_of(0.3, -0.2, 0.5 * space, 0.4 * space, -0.3 * space, 0.8);
  t.written[1] = pose_of(0.9, 0.1, -0.3 * space, -0.7 * space, 0.2 * space, -0.5);
  t.now[0] = pose_of(0.1, 0.2, 0.4 * space, 0.9 * space, 0.1 * space, 0.3);
  t.now[1] = pose_of(0.7, -0.4, 0.2 * space, -0.2 * space, -0.8 * space, 0.6);
  pose ground = pose_of(0, 0, 0, 0, 0, 0), tilt = pose_of(0, 0, 0, 0.6 * space, -space, 0.7);
  if (grounded) t.written[0] = t.now[0] = ground;
  memcpy(t.axes, tilt.R, sizeof t.axes);
  for (int b = 0; b < 2; b++)
    for (int k = 0; k < 6; k++) {
      bool out_of_plane = !space && k >= 2 && k < 5;
      t.twist[b][k] = out_of_plane || (b == 0 && grounded) ? 0 : cos(1.0 + 2.3 * k + 5 * b);
    }
  for (int b = 0; b < 2; b++)
    for (int k = 0; k < dim; k++) t.point[b][k] = 0.4 * sin(2.0 + k + 3 * b);
  fill(t.K, t.n, 0.3);
  fill(t.D, t.n, 1.1);
  for (int k = 0; k < t.n; k++) t.preload[k] = 0.7 - 0.4 * k;
  return t;
}

/* --- the same as an element in one formulation; the body index is the side, or −1 --- */

typedef struct rig {
  trm_motion motion;
  trm_frame frames[BODIES + 1];
  trm_mount mount;
  trm_scalar angle;
  trm_element element;
  double q[24], v[24], Q[24], power;
} rig;

static void mount_axes(const bench *t, rig *r) {
  for (int k = 0; k < t->dim; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) {
      r->mount.axis[0][k].u[i] = t->axes[i][k];
      d[i] = 0;
      for (int j = 0; j < 3; j++) d[i] += t->written[0].R[i][j] * t->axes[j][k];
    }
    for (int l = 0; l < 3; l++)
      for (int i = 0; i < 3; i++) r->mount.axis[1][k].u[l] += t->written[1].R[i][l] * d[i];
  }
  r->angle = (trm_scalar){.kind = TRM_SCALAR_ANGLE, .winding = {1, 0, 0, 0}};
  for (int side = 0; side < 2; side++) {
    r->angle.end[side] = r->mount.axis[side][0];
    r->angle.across[side] = r->mount.axis[side][1];
    double(*R)[3] = (double(*)[3])t->written[side].R, turn = atan2(R[1][0], R[0][0]);
    bool counts = r->motion.coordinates->turn && r->mount.end[side].body >= 0;
    if (counts) r->angle.offset += side ? turn : -turn; /* zero as written */
  }
}

static void prepare(const bench *t, const trm_coordinates *co, rig *r) {
  memset(r, 0, sizeof *r);
  r->motion = (trm_motion){.coordinates = co,
                           .dim = co->dim,
                           .nq = co->nq,
                           .stride = co->nq,
                           .bodies = BODIES,
                           .frames = r->frames + 1};
  for (int k = 0; k < 3; k++) r->frames[0].a[k][k] = 1;
  for (int side = 0; side < 2; side++) {
    int body = side == 0 && t->grounded ? -1 : side;
    r->mount.end[side].body = body;
    memcpy(r->mount.end[side].u, t->point[side], sizeof t->point[side]);
    for (int k = 0; k < 3; k++) r->mount.axis[side][k].body = body;
  }
  mount_axes(t, r);
  r->mount.K = t->K;
  r->mount.D = t->D;
  r->mount.preload = t->preload;
  r->element = (trm_element){.type = &trm_element_bushing,
                             .scalar = co->dim == 2 ? &r->angle : NULL,
                             .mount = &r->mount,
                             .turned = {1, 0, 0, 0}};
}

static void place(const trm_coordinates *co, const pose *p, const double *twist, double *q,
                  double *v) {
  trm_frame frame = {.x = {p->x[0], p->x[1], p->x[2]}};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) frame.a[k][i] = p->R[i][k];
  double angle = atan2(p->R[1][0], p->R[0][0]), turn = 2 * acos(-1);
  if (co->turn) angle += turn * round((co->turn(q) - angle) / turn); /* it goes on from there */
  co->from_pose(&frame, angle, q);
  co->from_twist(q, twist, twist + 3, v);
}

static void apply(const bench *t, rig *r) {
  const trm_coordinates *co = r->motion.coordinates;
  for (int b = 0; b < BODIES; b++)
    place(co, &t->now[b], t->twist[b], r->q + b * co->nq, r->v + b * co->nq);
  trm_motion_position(&r->motion, r->q);
  trm_motion_velocity(&r->motion, r->v);
  memset(r->Q, 0, sizeof r->Q);
  r->power = 0;
  assert_null(r->element.type->apply(&r->element, &r->motion, NULL, r->Q, &r->power));
}

/* Qᵀq̇ for a twist of one body */
static double pushes(const rig *r, int body, const double *twist) {
  const trm_coordinates *co = r->motion.coordinates;
  double qdot[12], work = 0;
  co->from_twist(r->q + body * co->nq, twist, twist + 3, qdot);
  for (int k = 0; k < co->nq; k++) work += r->Q[body * co->nq + k] * qdot[k];
  return work;
}

static bool in_plane(int k) {
  return k < 2 || k == 5;
}

/* --- tests --- */

static void check_gradient(const bench *t, const trm_coordinates *co) {
  rig r;
  prepare(t, co, &r);
  apply(t, &r);
  assert_near(r.element.type->potential(&r.element, &r.motion),
              energy_of(t, &t->now[0], &t->now[1]), 1e-13);
  assert_near(r.power, 0, 0);
  for (int b = t->grounded; b < 2; b++)
    for (int k = 0; k < 6; k++) {
      double twist[6] = {0};
      if (t->dim == 2 && !in_plane(k)) continue;
      twist[k] = 1;
      pose plus[2] = {t->now[0], t->now[1]}, minus[2] = {t->now[0], t->now[1]};
      plus[b] = moved(&t->now[b], twist, H);
      minus[b] = moved(&t->now[b], twist, -H);
      double slope = (energy_of(t, &plus[0], &plus[1]) - energy_of(t, &minus[0], &minus[1]));
      assert_near(pushes(&r, b, twist), -slope / (2 * H), 1e-8);
    }
}

static void force_is_the_gradient_of_the_energy(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++)
    for (int grounded = 0; grounded < 2; grounded++) {
      bench t = bench_of(all[c]->dim, grounded);
      memset(t.D, 0, sizeof t.D);
      check_gradient(&t, all[c]);
    }
}

/* u at both bodies moved by their twists for h, and one body by another twist for g */
static void deflection_after(const bench *t, double h, int body, const double *twist, double g,
                             double u[6]) {
  pose p[2];
  for (int b = 0; b < 2; b++) p[b] = moved(&t->now[b], t->twist[b], h);
  p[body] = moved(&p[body], twist, g);
  deflection_of(t, &p[0], &p[1], u);
}

/* Qᵀδq = −δu·D u̇ for every twist, the power −u̇·D u̇ */
static void check_damping(const bench *t, const trm_coordinates *co) {
  rig r;
  double none[6] = {0}, plus[6], minus[6], force[6] = {0}, power = 0, rate[6];
  prepare(t, co, &r);
  apply(t, &r);
  deflection_after(t, H, 0, none, 0, plus);
  deflection_after(t, -H, 0, none, 0, minus);
  for (int i = 0; i < t->n; i++) rate[i] = (plus[i] - minus[i]) / (2 * H);
  for (int i = 0; i < t->n; i++) {
    for (int j = 0; j < t->n; j++) force[i] -= t->D[i * t->n + j] * rate[j];
    power += force[i] * rate[i];
  }
  assert_true(power < -1);
  assert_near(r.power, power, 1e-8);
  assert_near(pushes(&r, 1, t->twist[1]) + (t->grounded ? 0 : pushes(&r, 0, t->twist[0])), r.power,
              1e-12);
  for (int b = t->grounded; b < 2; b++)
    for (int k = 0; k < 6; k++) {
      double twist[6] = {0}, expected = 0;
      if (t->dim == 2 && !in_plane(k)) continue;
      twist[k] = 1;
      deflection_after(t, 0, b, twist, H, plus);
      deflection_after(t, 0, b, twist, -H, minus);
      for (int i = 0; i < t->n; i++) expected += force[i] * (plus[i] - minus[i]) / (2 * H);
      assert_near(pushes(&r, b, twist), expected, 1e-8);
    }
}

static void damping_opposes_the_rate_of_deflection(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++)
    for (int grounded = 0; grounded < 2; grounded++) {
      bench t = bench_of(all[c]->dim, grounded);
      memset(t.K, 0, sizeof t.K);
      memset(t.preload, 0, sizeof t.preload);
      check_damping(&t, all[c]);
    }
}

/* Jᵀτ = −Kφ with J by its power series, from no rotation to nearly half a turn. */
static void torque_at_any_angle(void **state) {
  (void)state;
  static const double angles[] = {0,      1e-200, 1e-12,  1e-8, 1e-4, 0.9e-3, 1.1e-3,
                                  0.0999, 0.1001, 0.1002, 0.5,  2,    3,      3.14};
  static const double axis[3] = {2.0 / 7, -3.0 / 7, 6.0 / 7};
  for (int a = 0; a < (int)(sizeof angles / sizeof *angles); a++) {
    bench t = bench_of(3, true);
    rig r;
    double J[3][3], phi[3], tau[3], scale = angles[a] + 1e-300;
    pose aligned = pose_of(0, 0, 0, 0, 0, 0);
    for (int i = 0; i < 3; i++) phi[i] = angles[a] * axis[i];
    memcpy(t.axes, aligned.R, sizeof t.axes);
    memset(t.preload, 0, sizeof t.preload);
    memset(t.twist, 0, sizeof t.twist);
    memset(t.point, 0, sizeof t.point);
    t.written[1] = aligned;
    t.now[1] = pose_of(0, 0, 0, phi[0], phi[1], phi[2]);
    prepare(&t, &trm_natural_spatial, &r);
    apply(&t, &r);
    for (int k = 0; k < 3; k++) {
      double twist[6] = {0};
      twist[3 + k] = 1;
      tau[k] = pushes(&r, 1, twist);
    }
    power_series(phi, 1, J);
    for (int i = 0; i < 3; i++) {
      double g = 0;
      for (int j = 0; j < 3; j++) g -= t.K[6 * (3 + i) + 3 + j] * phi[j];
      assert_near(J[0][i] * tau[0] + J[1][i] * tau[1] + J[2][i] * tau[2], g, 2e-12 * scale);
    }
  }
}

/* A planar bushing to the ground: k x, k y, k θ by hand, θ counted beyond a turn. */
static void planar_by_hand(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++) {
    if (all[c]->dim == 3) continue;
    bench t = bench_of(2, true);
    rig r;
    memset(t.K, 0, sizeof t.K);
    memset(t.twist, 0, sizeof t.twist);
    memset(t.point, 0, sizeof t.point);
    pose aligned = pose_of(0, 0, 0, 0, 0, 0);
    memcpy(t.axes, aligned.R, sizeof t.axes);
    t.written[1] = aligned;
    t.K[0] = 30, t.K[4] = 50, t.K[8] = 7;
    t.preload[0] = 1, t.preload[1] = 2, t.preload[2] = 0.25;
    prepare(&t, all[c], &r);
    for (int i = 0; i <= 70; i++) {
      t.now[1] = pose_of(0.1, -0.2, 0, 0, 0, 0.1 * i);
      apply(&t, &r);
      trm_scalar_accept(&r.angle, &r.motion);
    }
    assert_near(pushes(&r, 1, (double[6]){1}), 1 - 30 * 0.1, 1e-13);
    assert_near(pushes(&r, 1, (double[6]){0, 1}), 2 + 50 * 0.2, 1e-13);
    assert_near(pushes(&r, 1, (double[6]){0, 0, 0, 0, 0, 1}), 0.25 - 7 * 7.0, 1e-12);
    assert_near(r.element.type->potential(&r.element, &r.motion),
                (30 * 0.01 + 50 * 0.04 + 7 * 49) / 2 - (0.1 - 0.4 + 0.25 * 7), 1e-11);
  }
}

/* --- bound by a system: centres of mass and principal axes away from the body frames --- */

static void fill_body(trm_body *body, const pose *p, const double *twist) {
  static const double inertia[6] = {1.1, 1.4, 1.7, 0.2, -0.1, 0.3};
  *body = (trm_body){
      .name = "b", .mass = 2, .com = {0.2, -0.1, 0}, .angle = atan2(p->R[1][0], p->R[0][0])};
  memcpy(body->inertia, inertia, sizeof inertia);
  memcpy(body->position, p->x, sizeof body->position);
  memcpy(body->R, p->R, sizeof body->R);
  memcpy(body->velocity, twist, sizeof body->velocity);
  memcpy(body->angular_velocity, twist + 3, sizeof body->angular_velocity);
}

static trm_model model_of(const bench *t, const pose *p, trm_body *bodies, trm_force *force,
                          trm_bushing *bushing) {
  *force = (trm_force){.name = "mount", .type = TRM_FORCE_BUSHING, .joint = -1};
  force->bushing = bushing;
  memcpy(bushing->K, t->K, sizeof bushing->K);
  memcpy(bushing->D, t->D, sizeof bushing->D);
  memcpy(bushing->preload, t->preload, sizeof bushing->preload);
  for (int k = 0; k < 9; k++) bushing->axes[k / 3][k % 3] = t->axes[k % 3][k / 3];
  for (int b = 0; b < 2; b++) {
    fill_body(&bodies[b], &p[b], t->twist[b]);
    force->end[b].body = b == 0 && t->grounded ? TRM_GROUND : b;
    memcpy(force->end[b].u, t->point[b], sizeof t->point[b]);
  }
  return (trm_model){.space = t->dim == 2 ? TRM_PLANAR : TRM_SPATIAL,
                     .dim = t->dim,
                     .length = 1,
                     .body_count = 2,
                     .bodies = bodies,
                     .force_count = 1,
                     .forces = force};
}

static void check_bound(const bench *t, const trm_coordinates *co) {
  trm_body bodies[2][2];
  trm_force force[2];
  trm_bushing bushing[2];
  trm_model written = model_of(t, t->written, bodies[0], &force[0], &bushing[0]);
  trm_model now = model_of(t, t->now, bodies[1], &force[1], &bushing[1]);
  trm_arena *arena = trm_arena_create();
  trm_system *sys = trm_system_create(&written, co, false, NULL, 0, arena);
  trm_system *there = trm_system_create(&now, co, false, NULL, 0, arena);
  double q[24], v[24], work = 0, none[6] = {0}, plus[6], minus[6], power = 0;
  assert_non_null(sys);
  assert_non_null(there);
  trm_system_written(there, q);
  trm_system_given_velocities(there, q, v);
  assert_true(trm_system_position(sys, 0, q));
  assert_true(trm_system_velocity(sys, v));
  assert_near(trm_system_potential(sys), energy_of(t, &t->now[0], &t->now[1]), 1e-12);
  deflection_after(t, H, 0, none, 0, plus);
  deflection_after(t, -H, 0, none, 0, minus);
  for (int i = 0; i < t->n; i++)
    for (int j = 0; j < t->n; j++)
      power -= t->D[i * t->n + j] * (plus[i] - minus[i]) * (plus[j] - minus[j]) / (4 * H * H);
  assert_near(sys->power, power, 1e-7);
  pose p[2][2];
  for (int b = 0; b < 2; b++) {
    p[0][b] = moved(&t->now[b], t->twist[b], H);
    p[1][b] = moved(&t->now[b], t->twist[b], -H);
  }
  double slope = (energy_of(t, &p[0][0], &p[0][1]) - energy_of(t, &p[1][0], &p[1][1])) / (2 * H);
  for (int i = 0; i < sys->n; i++) work += sys->Q[i] * v[i];
  assert_near(work, power - slope, 1e-7);
  trm_arena_destroy(arena);
}

static void bound_by_a_system(void **state) {
  (void)state;
  for (int c = 0; c < COUNT; c++)
    for (int grounded = 0; grounded < 2; grounded++) {
      bench t = bench_of(all[c]->dim, grounded);
      check_bound(&t, all[c]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_is_the_gradient_of_the_energy),
      cmocka_unit_test(damping_opposes_the_rate_of_deflection),
      cmocka_unit_test(torque_at_any_angle),
      cmocka_unit_test(planar_by_hand),
      cmocka_unit_test(bound_by_a_system),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The frame of every correction: positions iterated to the tolerance, velocities once. */
#include "stabilization/stabilizer.h"

#include <stdio.h>
#include <string.h>

#define MAX_ITERATIONS 30
#define ROUND_OFF      1e-8 /* of the model's length: above it, a correction that stalls has failed */

const trm_stabilization trm_stabilization_none = {.name = "none"};
const trm_stabilization trm_stabilization_embedded = {.name = "embedded"};

static const trm_stabilization *find(const char *name) {
  static const trm_stabilization *const all[] = {
      &trm_stabilization_direct, &trm_stabilization_partition, &trm_stabilization_embedded,
      &trm_stabilization_baumgarte};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i]->name, name) == 0) return all[i];
  return &trm_stabilization_none;
}

trm_stabilizer *trm_stabilizer_create(trm_arena *arena, trm_system *system, trm_solver *solver,
                                      const trm_settings *settings) {
  trm_stabilizer *st = TRM_NEW(arena, trm_stabilizer, 1);
  if (!st) return NULL;
  st->type = find(settings->stabilization);
  st->system = system;
  st->solver = solver;
  st->tolerance = settings->tolerance;
  st->rank = system->m;
  st->g = TRM_NEW(arena, double, system->m + 1);
  bool good = st->g && (!st->type->create || st->type->create(st, arena, settings));
  return good ? st : NULL;
}

static void factor(trm_stabilizer *st) {
  const trm_system *sys = st->system;
  trm_solver_factor(st->solver, sys->M, sys->Cq, sys->N);
  if (st->type->factor) st->type->factor(st);
}

static int worst_row(const trm_system *sys, int first) {
  int worst = first;
  for (int i = first + 1; i < sys->m; i++)
    if (!(fabs(sys->C[i]) <= fabs(sys->C[worst]))) worst = i;
  return worst;
}

/* The driver most at odds with the rest, or −1: where a mechanism locks, a motion law is out of
 * reach. */
static int worst_driver(const trm_system *sys) {
  int worst = -1;
  for (int i = 0; i < sys->primitive_count; i++) {
    double off = sys->law[i] ? fabs(sys->C[sys->primitives[i].row]) : -1;
    if (off >= 0 && (worst < 0 || off > fabs(sys->C[sys->primitives[worst].row]))) worst = i;
  }
  return worst < 0 ? -1 : sys->primitives[worst].joint;
}

/* q is lost: the bodies are made rigid so that the joint that cannot close is found. */
static bool fail(trm_system *sys, double violation, double *q) {
  int intrinsic = sys->motion.bodies * sys->motion.coordinates->intrinsic;
  if (isfinite(violation) && intrinsic < sys->m) trm_system_make_rigid(sys, q);
  int row = worst_row(sys, intrinsic < sys->m ? intrinsic : 0);
  int joint = trm_system_row_joint(sys, row), body = trm_system_row_body(sys, row);
  const char *name = joint >= 0  ? sys->model->joints[joint].name
                     : body >= 0 ? sys->model->bodies[body].name
                                 : "?";
  int driver = worst_driver(sys);
  snprintf(sys->error, sizeof sys->error,
           "t = %.9g: the constraints cannot be met: violation %.3g, most of it in %s '%s'; "
           "%s%s%sa smaller step may help",
           sys->t, violation, joint >= 0 ? "joint" : "body", name,
           driver >= 0 ? "the motion of joint '" : "",
           driver >= 0 ? sys->model->joints[driver].name : "",
           driver >= 0 ? "' is out of reach, or " : "");
  return false;
}

static bool correct_position(trm_stabilizer *st, double t, double *q) {
  trm_system *sys = st->system;
  double last = INFINITY, floor = ROUND_OFF * sys->model->length;
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    if (!trm_system_position(sys, t, q)) return false;
    double violation = trm_system_violation(sys);
    if (!isfinite(violation)) return fail(sys, violation, q);
    factor(st);
    bool met = violation <= st->tolerance, stalled = violation > last / 2 && violation <= floor;
    if (i > 0 && (met || stalled)) { /* at least one correction: ‖C‖ then sits at round-off */
      st->stalls += !met;
      return true;
    }
    st->type->project(st, sys->C, q);
    st->corrections++;
    last = violation;
  }
  return fail(sys, last, q);
}

bool trm_stabilize(trm_stabilizer *st, double t, double *q, double *v) {
  trm_system *sys = st->system;
  if (st->type->project) {
    if (!correct_position(st, t, q)) return false;
    trm_system_velocity_residual(sys, v, st->g);
    st->type->project(st, st->g, v);
  } else {
    if (!trm_system_position(sys, t, q)) return false;
    factor(st);
  }
  sys->velocity_violation = trm_system_velocity_residual(sys, v, st->g);
  return true;
}

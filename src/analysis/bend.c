/* Which way a planar linkage bends at its joints: the branch that assembly found. */
#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "coordinates/motion.h"
#include "math/vector.h"

static void position(const trm_system *sys, const trm_end *end, double r[3]) {
  trm_marker p = trm_system_point(sys, end);
  trm_position(&sys->motion, &p, r);
}

/* From the joint to the nearest other joint of one of its bodies in the order of the file. */
static bool arm(const trm_system *sys, int joint, int side, double d[3]) {
  const trm_model *model = sys->model;
  const trm_end *here = &model->joints[joint].end[side];
  double a[3], b[3];
  position(sys, here, a);
  for (int j = 0; j < model->joint_count; j++)
    for (int k = 0; k < 2 && j != joint; k++) {
      const trm_joint *other = &model->joints[j];
      bool points = other->type <= TRM_JOINT_DISTANCE; /* not those between measures */
      if (!points || other->end[k].body != here->body) continue;
      position(sys, &other->end[k], b);
      trm_sub(2, b, a, d);
      if (trm_norm(2, d) > 1e-9 * model->length) return true;
    }
  return false;
}

const char *trm_simulation_bend(const trm_simulation *sim, int index, double *angle) {
  const trm_system *sys = sim->engine->system;
  const trm_model *model = sys->model;
  if (model->user || model->space != TRM_PLANAR) return NULL;
  for (int j = 0; j < model->joint_count; j++) {
    const trm_joint *joint = &model->joints[j];
    double a[3], b[3];
    bool two =
        joint->type == TRM_JOINT_REVOLUTE && joint->end[0].body >= 0 && joint->end[1].body >= 0;
    if (!two || !arm(sys, j, 0, a) || !arm(sys, j, 1, b) || index-- > 0) continue;
    *angle = atan2(a[1] * b[0] - a[0] * b[1], -a[0] * b[0] - a[1] * b[1]);
    return joint->name;
  }
  return NULL;
}

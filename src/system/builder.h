/* Building joints from primitives. */
#ifndef TRM_SYSTEM_BUILDER_H
#define TRM_SYSTEM_BUILDER_H

#include "system/system.h"

typedef struct trm_builder {
  trm_system *sys;
  int joint;
  bool failed; /* out of memory */
} trm_builder;

/* A primitive between the joint's two bodies, with its two points. */
trm_primitive *trm_build_pair(trm_builder *b, const trm_primitive_class *type, int rows);
/* A relation of `terms` scalars, and one of its terms. */
trm_primitive *trm_build_sum(trm_builder *b, int terms);
void trm_build_term(trm_builder *b, trm_primitive *p, const trm_measure *measure, double factor);
void trm_build_scalar(trm_builder *b, trm_primitive *p, const trm_scalar *scalar, double factor);
/* The value of the joint: a number, or a time law. */
void trm_build_law(trm_builder *b, trm_primitive *p, const trm_quantity *value);

/* A global vector of the configuration as written, in the frame a body lives in. */
void trm_build_localize(const trm_motion *m, int body, const double g[3], double u[3]);

/* The first's direction `first` stays perpendicular to the second's `second`; both global as
 * written. */
void trm_build_perpendicular(trm_builder *b, const double first[3], const double second[3]);
/* d·(r0 − r1) = value, d global as written, carried by the first. */
trm_primitive *trm_build_slide(trm_builder *b, const double d[3], double value);
/* The first's point moves to where the second's is as written, then they coincide. */
void trm_build_weld_points(trm_builder *b);
void trm_build_relation(trm_builder *b, const trm_joint *joint); /* coordinate, gear, driver */

void trm_build_planar(trm_builder *b, const trm_joint *joint);
void trm_build_spatial(trm_builder *b, const trm_joint *joint);

#endif

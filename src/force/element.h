/* Force elements: generalized forces of springs, dampers, actuators and applied loads. */
#ifndef TRM_FORCE_ELEMENT_H
#define TRM_FORCE_ELEMENT_H

#include "coordinates/scalar.h"
#include "expression/quantity.h"
#include "model/model.h"
#include "tire/wheel.h"

typedef struct trm_element trm_element;

enum { TRM_MOST_VALUES = 6 };

/* Where an element's derivatives go, and what it needs for them. */
typedef struct trm_force_tangent {
  trm_curvature K;       /* takes −∂Q/∂q */
  const trm_blocks *D;   /* takes −∂Q/∂v */
  const double *state_v; /* [bodies × nq] */
  int state_block;       /* where the blocks of states begin */
  const double *slots;
  double *gradient; /* [slots] */
  /* q += scale ∂slot/∂q, v += scale ∂slot/∂v, of a slot k > 0 */
  void (*add_slot)(void *context, int slot, double scale, trm_row *q, trm_row *v);
  void *context;
  trm_row *push, *q, *v; /* empty between elements: ∂Q by an effort, the effort by q and by v */
} trm_force_tangent;

/* An element may have states of its own: z, with rates of the same level as its force. They are
 * integrated with the motion, see system/state.h. */
typedef struct trm_element_class {
  /* Adds to Q[bodies × nq] and to the power of what is not in the potential. NULL, or why it
   * cannot. */
  const char *(*apply)(trm_element *e, const trm_motion *m, const double *slots, double *Q,
                       double *power);
  /* The potential energy; NULL where the element has none. */
  double (*potential)(const trm_element *e, const trm_motion *m);
  /* Adds −∂Q/∂q and −∂Q/∂v, after the velocity stage. NULL, or why it cannot. */
  const char *(*tangent)(const trm_element *e, trm_force_tangent *to);
  /* Force and torque on the (second) body, at the point it acts at, global axes; NULL: along a
   * scalar. */
  void (*wrench)(const trm_element *e, const trm_motion *m, const double *slots, double parts[6]);

  /* What its measures and its force share, first of all at each state; NULL: nothing. */
  void (*sense)(trm_element *e, const trm_motion *m);

  int states; /* 0: it has none, nor the rest */
  const char *const *state_names;
  /* At the assembled start; NULL: zero. */
  void (*start)(const trm_element *e, const trm_motion *m, const double *slots, double *z);
  /* ż at e->z, after apply. Its derivatives come with the tangent: a row of to->push for each, with
   * a one at trm_state_part. */
  void (*rates)(trm_element *e, const trm_motion *m, const double *slots, double *rates);
} trm_element_class;

/* What a bushing is made of. Its rotation is one counted angle in the plane, also of a planar model
 * put in space; else the rotation vector. */
typedef struct trm_mount {
  trm_marker end[2];
  trm_marker axis[2][3]; /* its axes, carried by each side, parallel as written */
  const double *K, *D;   /* row-major, 3 × 3 in the plane, 6 × 6 in space; K symmetric */
  const double *preload; /* on the second, bushing axes */
} trm_mount;

/* A wheel on the road. */
typedef struct trm_rolling {
  const trm_tire *tire;
  trm_tire_side side; /* of the car */
  trm_road road;
  const trm_ground_form *surface;
  trm_wheel_action action; /* at the state at hand */
  unsigned beyond;         /* ranges of the tire's data that accepted states have left, */
  double beyond_t;         /* since when */
  char message[320];
} trm_rolling;

struct trm_element {
  const trm_element_class *type;
  trm_marker end;         /* force: the point; torque: the body; load: the second's point */
  trm_marker from;        /* load: the first's point */
  trm_marker axis[3];     /* force, torque, load: what the value's components are along */
  trm_scalar *scalar;     /* springs and actuators act along it; may be a joint's freedom;
                           * a bushing's angle in the plane */
  trm_scalar *against;    /* subtracted from it, or NULL */
  const trm_mount *mount; /* bushing */
  trm_rolling *rolling;   /* tire: end is its centre, axis[0] that of its spin */
  double turned[4];       /* its accepted rotation in space, a quaternion: the sign tells whether it
                           * is beyond half a turn */
  double turning[3];      /* its accepted rate, in the axes of the first */
  trm_quantity value[TRM_MOST_VALUES]; /* force, then torque */
  trm_quantity stiffness, damping, free;
  int first_state;   /* of its states among all */
  const double *z;   /* [type->states] of the evaluation at hand */
  bool conservative; /* constant stiffness and free length: the spring has a potential */
  double
      effort; /* force or torque of the last evaluation: a spring's tension, an actuator's push */
};

extern const trm_element_class trm_element_force;
extern const trm_element_class trm_element_torque;
extern const trm_element_class trm_element_spring; /* along a distance or about an angle */
extern const trm_element_class trm_element_actuator;
extern const trm_element_class trm_element_bushing;
extern const trm_element_class trm_element_load;
extern const trm_element_class trm_element_tire;

/* The road under (x, y), of a trm_ground_form; a trm_road's `at`. */
void trm_road_at(const void *surface, double x, double y, bool curved, trm_road_point *point);
/* The state at hand is accepted: remembers which ranges of the tire's data it has left. */
void trm_tire_accept(trm_element *e, double t);
/* q, v += scale ∂(measure) of a tire; states as in `to` */
void trm_tire_measure_slope(const trm_element *e, const trm_motion *m, const double *state_v,
                            int state_block, int measure, double scale, trm_row *q, trm_row *v);

/* The generalized forces of one body in Q; NULL for the ground. */
static inline double *trm_body_rows(const trm_motion *m, double *Q, int body) {
  return body < 0 ? NULL : Q + (ptrdiff_t)body * m->nq;
}

/* Q += effort ∂s/∂q */
static inline void trm_push_along(const trm_scalar *s, const trm_motion *m, double effort,
                                  double *Q) {
  trm_scalar_gradient(s, m, effort, trm_body_rows(m, Q, s->end[0].body),
                      trm_body_rows(m, Q, s->end[1].body));
}

/* Of a row over velocities, or over equations: the entry of a state, by its number among all. */
static inline double *trm_state_entry(int state_block, trm_row *row, int state) {
  return trm_row_part(row, state_block + state / row->width) + state % row->width;
}
static inline double *trm_state_part(const trm_force_tangent *to, trm_row *row, int state) {
  return trm_state_entry(to->state_block, row, state);
}

/* to->q and to->v += scale ∂(quantity); false where a derivative is not finite */
bool trm_quantity_slope(const trm_quantity *quantity, double scale, trm_force_tangent *to);
/* K −= push to->qᵀ, D −= push to->vᵀ; then all three rows are empty again */
void trm_push_slope(trm_force_tangent *to);

/* What a spring or actuator acts along: its value and rate. */
double trm_element_value(const trm_element *e, const trm_motion *m);
double trm_element_rate(const trm_element *e, const trm_motion *m);

/* Whether both act at the same points, along the same directions, with the same constants, but for
 * round-off: all but their formulas. An element that does nothing now may differ as well. */
bool trm_element_is_alike(const trm_element *one, const trm_element *other);

extern const char trm_not_smooth[]; /* the reason for a derivative that is not finite */

#endif

/* The equations of motion along a virtual motion w, with virtual multipliers ν and states ζ,
 *
 *     S = wᵀ (M a + Cqᵀ λ − Q) + νᵀ (Cq a − Qd) − ζᵀ ż,
 *
 * at a given state, as far as they hang on a parameter: only the bodies, primitives and forces that
 * differ between mechanisms of the same coordinates are evaluated. */
#ifndef TRM_SYSTEM_CONTRACT_H
#define TRM_SYSTEM_CONTRACT_H

#include "system/tangent.h"

typedef struct trm_virtual {
  double t;
  const trm_system *system; /* whose motion it is, evaluated there */
  const trm_motion *motion;
  const double *v;          /* [n + states] with z behind */
  const double *a, *lambda; /* [n + states], [m] */
  const double *slots;      /* of formulas there */
  const double *w, *nu;     /* [n + states] with ζ behind, [m] */
} trm_virtual;

/* A spring of which numbers alone differ: the equations are linear in each of them. */
typedef struct trm_spring_slope {
  int force;
  double stiffness, damping, free; /* by the parameter */
} trm_spring_slope;

/* A body of a constant, diagonal mass matrix. */
typedef struct trm_mass_slope {
  int body;
  double M[TRM_MOST_NQ], weight[TRM_MOST_NQ]; /* by the parameter */
} trm_mass_slope;

typedef struct trm_symbols trm_symbols; /* see system/symbols.h */

/* Formulas of forces and signals that hang on the parameter. */
typedef struct trm_chain {
  int formulas;
  int *formula;
  double *by; /* [parameters] how each of them hangs on it */
} trm_chain;

/* What differs. */
typedef struct trm_differing {
  bool whole; /* all of it is evaluated */
  bool laws;  /* primitives with laws of time are among it */
  bool slots; /* what formulas use, and with it all forces and the rates of states */
  int bodies, primitives, forces;
  int *body, *primitive, *force;
  /* known by their slopes, see below */
  int springs, masses;
  trm_spring_slope *spring;
  trm_mass_slope *mass;
  trm_chain chain; /* and by their formulas */
} trm_differing;

/* Between two mechanisms, due to one parameter of the first, whose formulas `symbols` are; `at`:
 * some generic state and virtual motion. False: out of memory. */
bool trm_find_differing(trm_system *one, trm_system *other, int parameter, trm_symbols *symbols,
                        const trm_virtual *at, trm_arena *arena, trm_differing *differing);
/* S of these parts, with laws of time as in at->system. False: a force cannot be evaluated, see
 * system->error. */
bool trm_contract(trm_system *system, const trm_tangent *tangent, const trm_differing *parts,
                  const trm_virtual *at, double *sum);
/* Adds −wᵀQ of a force element as it is; Q: room as for all of them. NULL, or why it cannot. */
const char *trm_contract_push(trm_element *element, const double *slots, const trm_virtual *at,
                              double *Q, double *sum);
/* wᵀ ∂s/∂q of what a spring or actuator acts along. */
double trm_contract_stretch(const trm_element *element, const trm_virtual *at);
/* Adds what the springs and masses of a mechanism next to `base` count in their slopes. */
void trm_add_slopes(const trm_system *system, const trm_system *base, double weight,
                    const trm_differing *parts);
/* dS by those slopes. */
double trm_contract_slopes(const trm_differing *parts, const trm_virtual *at);
/* A law of time: its value, rate and acceleration. */
typedef struct trm_law {
  double value, rate, acceleration;
} trm_law;
/* That of a primitive there. False: see system->error. */
bool trm_read_law(trm_system *system, const trm_virtual *at, int primitive, trm_law *law);
/* dS by a change of a primitive's law alone. */
double trm_contract_law(const trm_system *system, int primitive, const trm_law *change,
                        const trm_virtual *at);
/* How the law of a primitive hangs on a state, and on its rate. */
typedef struct trm_law_by {
  int primitive, state;
  trm_law by_state, by_rate;
} trm_law_by;
/* All of them; list: room for 2 system->law_slope_count, which is enough. How many there are. */
int trm_list_laws(const trm_system *system, trm_law_by *list);
/* At a state, whose rates are those of the last velocity stage. False: see system->error. */
bool trm_differentiate_laws(trm_system *system, double t, const double *v, int count,
                            trm_law_by *list);
/* Adds dS by states, and by their rates, through the laws: [states]. */
void trm_contract_laws(const trm_system *system, int count, const trm_law_by *list,
                       const trm_virtual *at, double *by_state, double *by_rate);
/* Frames and slots at (t, q, v): all that measures of position and velocity level need. */
void trm_system_visit(trm_system *system, double t, const double *q, const double *v);

#endif

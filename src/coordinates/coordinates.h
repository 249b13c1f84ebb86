/* One formulation of a body's motion. Joints and forces see frames, points and directions only.
 *
 * Every body lives in its centre-of-mass frame: origin x, axes a[k]. In every formulation the first
 * `dim` coordinates are x itself, the rest describe the axes. A point u has
 *
 *     r = x + Σ u[k] a[k],   L = ∂r/∂q = [I  N(u)],   N(u) = ∂(Σ u[k] a[k])/∂q,
 *
 * and N(u)ᵀ s is all that a constraint row or a generalized force needs of it. */
#ifndef TRM_COORDINATES_H
#define TRM_COORDINATES_H

#include <stdbool.h>

/* Where a body is and how it moves. */
typedef struct trm_frame {
  double x[3], a[3][3];  /* origin, axes */
  double v[3], da[3][3]; /* their rates */
  double dda[3][3];      /* second derivatives of the axes where q̈ = 0 */
} trm_frame;

typedef struct trm_inertia {
  double mass;
  double I[3]; /* principal moments; planar: the third */
} trm_inertia;

/* J_a = (I_b + I_c − I_a)/2 about the centre of mass, 000 eq. 58; exactly zero across a flat body
 */
void trm_second_moments(const double I[3], double J[3]);

typedef struct trm_coordinates {
  const char *name;
  int dim;       /* 2 or 3 */
  int nq;        /* coordinates of a body */
  int intrinsic; /* normalization constraints of a body */
  bool linear;   /* the axes are linear in q: N constant, dda zero */
  bool natural;  /* behind x come the axes themselves, and the normalization is math/axes.h's */
  bool joints;   /* bodies have none of their own: see relative_spatial.c */
  bool mass_diagonal, mass_constant;
  /* M alone cannot be inverted, together with the intrinsic constraints it can: for the solvers
   * that need it definite, s CᵢᵀCᵢ is added, which only shifts the intrinsic multipliers; a
   * diagonal one stays as it is, for the solvers that eliminate the intrinsic rows first */
  bool mass_singular;
  const struct trm_coordinates
      *singular; /* the same with its singular M, for solvers that take it; or NULL */
  const struct trm_coordinates
      *flat; /* the same for bodies without second moment along an axis; or NULL */

  /* pose → q, twist → v; `angle` counts in the plane, the axes elsewhere */
  void (*from_pose)(const trm_frame *frame, double angle, double *q);
  void (*from_twist)(const double *q, const double v[3], const double omega[3], double *qdot);

  /* q → axes; (q, q̇) → rates of the axes, linear in q̇; (q, q̇) → dda. Linear axes need the first
   * only. */
  void (*axes)(const double *q, double a[3][3]);
  void (*rates)(const double *q, double a[3][3], const double *qdot, double da[3][3]);
  void (*bias)(const double *q, double a[3][3], const double *qdot, double dda[3][3]);

  /* q → the angle itself, where it is a coordinate and knows its turns; else NULL */
  double (*turn)(const double *q);

  /* row[nq − dim] += scale N(u)ᵀ s */
  void (*add)(const double *q, double a[3][3], const double *u, const double *s, double scale,
              double *row);

  /* diagonal or full block of M; adds Qv, the velocity-quadratic inertia force, to Q (NULL: there
   * is none) */
  void (*mass)(const trm_inertia *inertia, const double *q, double *M);
  void (*inertia_force)(const trm_inertia *inertia, const double *q, const double *qdot, double *Q);

  /* normalization, where intrinsic > 0: C[intrinsic], its Jacobian rows (intrinsic × nq),
   * Qd[intrinsic]. Entries of rows, T and G that are always zero are left as they are: zero */
  void (*normalize)(const double *q, double *C, double *rows);
  void (*normalize_bias)(const double *qdot, double *Qd);
  /* its rows without their `dim` zeros times T are 0, times G are 1, also off the normalization:
   * the columns of T [nq − dim − intrinsic] turn the body about its axes, those of G [intrinsic]
   * deform it; nq − dim entries each, column after column */
  void (*split)(const double *q, double *T, double *G);

  /* What tangents need, added with a scale; NULL where it is zero. `block` is nq × nq, row-major.
   * ∂(N(u)ᵀ s)/∂q and ∂(s·Σ u[k] dda[k])/∂q with s held, in the last nq − dim rows or columns;
   * ∂(M a)/∂q; ∂Qv/∂q and ∂Qv/∂q̇; Σ λ[r] ∂²C[r]/∂q² of the normalization, which is quadratic */
  void (*bend)(const double *q, double a[3][3], const double *u, const double *s, double scale,
               double *block);
  void (*bias_slope)(const double *q, double a[3][3], const double *qdot, const double *u,
                     const double *s, double scale, double *row);
  void (*mass_slope)(const trm_inertia *inertia, const double *q, const double *acceleration,
                     double scale, double *block);
  void (*inertia_force_slope)(const trm_inertia *inertia, const double *q, const double *qdot,
                              double scale, double *Kblock, double *Dblock);
  void (*normalize_bend)(const double *lambda, double scale, double *block);
} trm_coordinates;

extern const trm_coordinates trm_natural_planar;
extern const trm_coordinates trm_angle_planar;
extern const trm_coordinates trm_euler_planar, trm_euler_planar_singular;
extern const trm_coordinates trm_cartesian_planar;
extern const trm_coordinates trm_natural_spatial, trm_natural_spatial_flat;
extern const trm_coordinates trm_euler_spatial;
extern const trm_coordinates trm_relative_spatial;

static inline void trm_axes_rates(const trm_coordinates *co, const double *q, double a[3][3],
                                  const double *qdot, double da[3][3]) {
  if (co->linear)
    co->axes(qdot, da);
  else
    co->rates(q, a, qdot, da);
}

/* NULL where the space has no such formulation. */
const trm_coordinates *trm_coordinates_find(const char *name, int dim);

#endif

/* Rotation vectors φ: axis times angle, at most half a turn, and their rates φ̇ = J⁻¹(φ) ω. */
#ifndef TRM_MATH_ROTATION_VECTOR_H
#define TRM_MATH_ROTATION_VECTOR_H

/* Of the rotation whose axes are a[0], a[1], a[2]; its change where they change by da. Beyond half
 * a turn φ jumps to the other side. */
void trm_rotation_vector_of(double a[3][3], double phi[3]);
void trm_rotation_vector_slope(double a[3][3], double da[3][3], double dphi[3]);

/* y = (1 + side/2 φ̃ + c φ̃²) x: J⁻¹ x for side −1, J⁻ᵀ x for side 1; its change with φ, x held. */
void trm_unroll(const double phi[3], double side, const double x[3], double y[3]);
void trm_unroll_slope(const double phi[3], double side, const double x[3], const double dphi[3],
                      double dy[3]);

#endif

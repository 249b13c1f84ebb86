/* Rotation vectors φ: axis times angle, less than a full turn, and their rates φ̇ = J⁻¹(φ) ω. */
#ifndef TRM_MATH_ROTATION_VECTOR_H
#define TRM_MATH_ROTATION_VECTOR_H

/* Of the rotation with the quaternion p; with −p it is the one the other way round. Its change
 * where p's axes a[0], a[1], a[2] change by da. */
void trm_rotation_vector_of(const double p[4], double phi[3]);
void trm_rotation_vector_slope(const double p[4], double a[3][3], double da[3][3], double dphi[3]);

/* y = (1 + side/2 φ̃ + c φ̃²) x: J⁻¹ x for side −1, J⁻ᵀ x for side 1; its change with φ, x held. */
void trm_unroll(const double phi[3], double side, const double x[3], double y[3]);
void trm_unroll_slope(const double phi[3], double side, const double x[3], const double dphi[3],
                      double dy[3]);

#endif

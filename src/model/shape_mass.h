/* Mass properties of shapes. */
#ifndef TRM_MODEL_SHAPE_MASS_H
#define TRM_MODEL_SHAPE_MASS_H

#include <trammel/model.h>

/* Moments of a solid about the origin of its body: they add up. */
typedef struct trm_moments {
  double volume, first[3], second[3][3]; /* ∫ dV, ∫ x dV, ∫ x xᵀ dV */
} trm_moments;

/* Cross-section of a rod or path: its area, and r² + (inner radius)² where it is round, else 0. */
typedef struct trm_section {
  double area, radii;
} trm_section;

void trm_moments_box(trm_moments *m, const double edges[3]);
void trm_moments_sphere(trm_moments *m, double radius);
void trm_moments_cylinder(trm_moments *m, double radius, double length, const double axis[3]);
void trm_moments_cone(trm_moments *m, double radius, double height, const double axis[3]);
void trm_moments_rod(trm_moments *m, const double a[3], const double b[3],
                     const trm_section *section);
/* Triangles, nine numbers each; false where they do not close. */
bool trm_moments_mesh(trm_moments *m, const float *corners, int count);

/* Centre of mass and inertia about it, [Ixx Iyy Izz Ixy Ixz Iyz], of a solid of this mass. */
void trm_moments_inertia(const trm_moments *m, double mass, double com[3], double inertia[6]);

#endif

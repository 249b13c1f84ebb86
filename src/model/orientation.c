/* Rotation matrices as given: checked, then made orthonormal to the last digit. */
#include <math.h>
#include <string.h>

#include "model/build.h"

/* G = RᵀR; returns its largest difference from the identity. */
static double gram(const double R[9], double G[9]) {
  double largest = 0;
  for (int i = 0; i < 9; i++) {
    int a = i / 3, b = i % 3;
    G[i] = R[a] * R[b] + R[3 + a] * R[3 + b] + R[6 + a] * R[6 + b];
    largest = fmax(largest, fabs(G[i] - (a == b)));
  }
  return largest;
}

static double determinant(const double R[9]) {
  return R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
         R[2] * (R[3] * R[7] - R[4] * R[6]);
}

/* R ← R (3 I − RᵀR)/2: Newton's way to the nearest rotation; an exact one stays as it is. */
static void sharpen(double R[9]) {
  double G[9], S[9];
  gram(R, G);
  for (int i = 0; i < 9; i++) {
    const double *row = &R[i / 3 * 3];
    int k = i % 3;
    S[i] = (3 * R[i] - row[0] * G[k] - row[1] * G[3 + k] - row[2] * G[6 + k]) / 2;
  }
  memcpy(R, S, sizeof S);
}

bool trm_draft_orientation(trm_draft *draft, const trm_subject *subject, const double from[9],
                           double R[9]) {
  const double tolerance = 1e-6;
  double G[9];
  for (int i = 0; i < 9; i++)
    if (!trm_draft_finite(draft, subject, "orientation", from[i])) return false;
  double error = gram(from, G);
  if (!(error <= tolerance)) {
    TRM_DRAFT_ERROR(draft, subject, "orientation",
                    ": the matrix of the orientation is no rotation: its columns are not "
                    "perpendicular unit vectors (they are off by %g, at most %g is taken)",
                    error, tolerance);
    return false;
  }
  if (determinant(from) < 0) {
    TRM_DRAFT_ERROR(draft, subject, "orientation",
                    ": the matrix of the orientation is no rotation but a reflection: its "
                    "determinant is -1");
    return false;
  }
  memcpy(R, from, 9 * sizeof *R);
  sharpen(R); /* the error is squared: two steps reach round-off */
  sharpen(R);
  return true;
}

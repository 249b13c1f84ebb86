/* Masses, centres and inertias: seen from other frames, added, checked. */
#include <math.h>

#include "math/rotation.h"
#include "robot/robot.h"

static void expand(const double v[6], double T[3][3]) {
  const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) T[i][j] = v[at[i][j]];
}

static void collect(double T[3][3], double v[6]) {
  for (int i = 0; i < 3; i++) v[i] = T[i][i];
  v[3] = (T[0][1] + T[1][0]) / 2;
  v[4] = (T[0][2] + T[2][0]) / 2;
  v[5] = (T[1][2] + T[2][1]) / 2;
}

trm_robot_mass trm_robot_mass_in(const trm_robot_pose *frame, const trm_robot_mass *mass) {
  trm_robot_mass out = {.mass = mass->mass};
  trm_robot_pose f = *frame;
  double T[3][3], RT[3][3], turned[3][3], transposed[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) transposed[i][j] = f.R[j][i];
  expand(mass->inertia, T);
  trm_robot_product(f.R, T, RT);
  trm_robot_product(RT, transposed, turned);
  collect(turned, out.inertia);
  trm_robot_point(frame, mass->com, out.com);
  return out;
}

/* Steiner: m (d·d 1 − d dᵀ) */
static void shift(double mass, const double d[3], double inertia[6]) {
  inertia[0] += mass * (d[1] * d[1] + d[2] * d[2]);
  inertia[1] += mass * (d[0] * d[0] + d[2] * d[2]);
  inertia[2] += mass * (d[0] * d[0] + d[1] * d[1]);
  inertia[3] -= mass * d[0] * d[1];
  inertia[4] -= mass * d[0] * d[2];
  inertia[5] -= mass * d[1] * d[2];
}

void trm_robot_mass_add(trm_robot_mass *sum, const trm_robot_mass *more) {
  double total = sum->mass + more->mass, gap[3];
  for (int i = 0; i < 6; i++) sum->inertia[i] += more->inertia[i];
  if (!(total > 0)) return; /* an inertia without a mass has no place */
  for (int i = 0; i < 3; i++) {
    gap[i] = more->com[i] - sum->com[i];
    sum->com[i] += more->mass / total * gap[i];
  }
  shift(sum->mass * more->mass / total, gap, sum->inertia);
  sum->mass = total;
}

static void moments_of(const trm_robot_mass *mass, double low_to_high[3]) {
  double axes[3][3], v[3];
  trm_principal_axes(mass->inertia, v, axes);
  double low = fmin(v[0], fmin(v[1], v[2])), high = fmax(v[0], fmax(v[1], v[2]));
  low_to_high[0] = low;
  low_to_high[1] = v[0] + v[1] + v[2] - low - high;
  low_to_high[2] = high;
}

bool trm_robot_mass_possible(const trm_robot_mass *mass) {
  double v[3];
  moments_of(mass, v);
  double scale = 1e-9 * fmax(fabs(v[0]), fabs(v[2]));
  return v[0] >= -scale && v[2] - v[1] - v[0] <= scale;
}

void trm_robot_mass_balance(trm_robot_mass *mass) {
  double mean = fabs(mass->inertia[0] + mass->inertia[1] + mass->inertia[2]) / 3;
  for (int i = 0; i < 6; i++) mass->inertia[i] = i < 3 ? mean : 0;
}

void trm_robot_mass_bound(trm_robot_mass *mass, double least_mass, double least_moment) {
  const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
  double v[3], axes[3][3];
  mass->mass = fmax(mass->mass, least_mass);
  if (!(least_moment > 0)) return;
  trm_principal_axes(mass->inertia, v, axes);
  for (int k = 0; k < 3; k++) {
    double more = fmax(least_moment - v[k], 0); /* about this axis */
    for (int i = 0; i < 6; i++) mass->inertia[i] += more * axes[k][first[i]] * axes[k][second[i]];
  }
}

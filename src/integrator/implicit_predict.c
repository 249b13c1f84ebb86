/* Where Newton's iteration starts: the better, the fewer iterations, and the surer the branch. */
#include <string.h>

#include "integrator/implicit.h"

#define LONGER 10    /* times the last step: beyond, its round-off would be more than it tells */
#define NEWTON 1e-13 /* of a step's motion: what is left has the same sign in every step */

static double find_motion(const trm_implicit *im) {
  double most = 0;
  for (int i = 0; i < im->n; i++) most = fmax(most, fabs(im->u[i]) / im->span[i]);
  return most;
}

/* u from the last positions and accelerations (Störmer). Close to a singular position Newton finds
 * the branch it starts on: positions are on it, velocities and stages are O(h³) off it in a step.
 */
static void extrapolate(trm_implicit *im, double h, double before) {
  const double *a = im->now.ydot + im->n, *slope = im->now.slope;
  for (int i = 0; i < im->n; i++)
    im->u[i] =
        h / before * im->now.u[i] + h * (h + before) * (a[i] / 2 + (h - before) / 6 * slope[i]);
}

void trm_implicit_predict(trm_implicit *im, double h) {
  const double *a = im->now.ydot + im->n, *slope = im->now.slope;
  double ahead = im->stage_t - im->now.at;
  if (im->share == 1 && im->now.h * LONGER > h)
    extrapolate(im, h, im->now.h);
  else /* with which the stage has the acceleration that the last two lead to */
    for (int i = 0; i < im->n; i++) im->u[i] = (a[i] + ahead * slope[i] - im->a0[i]) / im->beta;
  for (int r = 0; r < im->m; r++) im->lambda[r] = im->now.lambda[r] + ahead * slope[im->n + r];
  im->motion = find_motion(im);
  double part = im->scheme->kinetic ? NEWTON / 10 : NEWTON;
  im->tolerance = part * fmax(1e-4, fmin(im->motion, 1));
}

void trm_implicit_remember(trm_implicit *im) {
  const double *a = im->now.ydot + im->n, *next = im->next.ydot + im->n;
  double passed = im->stage_t - im->now.at;
  im->next.at = im->stage_t;
  for (int i = 0; i < im->n; i++) im->next.slope[i] = (next[i] - a[i]) / passed;
  for (int r = 0; r < im->m; r++)
    im->next.slope[im->n + r] = (im->lambda[r] - im->now.lambda[r]) / passed;
  memcpy(im->next.lambda, im->lambda, (size_t)im->m * sizeof(double));
  memcpy(im->next.u, im->u, (size_t)im->n * sizeof(double));
}

/* Energies and momenta, from frames: the same in every formulation. */
#include "system/mechanism.h"

/* Angular momentum about the centre of mass with the true inertia: the fictitious one of a massless
 * rotation carries neither momentum nor energy. */
void trm_system_spin_momentum(const trm_system *sys, int b, const double w[3], double l[3]) {
  const trm_principal *principal = &sys->principal[b];
  l[0] = l[1] = 0;
  l[2] = principal->massless[2] ? 0 : principal->I[2] * w[2];
  if (sys->motion.dim == 2) return;
  l[2] = 0;
  for (int k = 0; k < 3; k++) {
    const double *a = sys->motion.frames[b].a[k];
    if (!principal->massless[k]) trm_axpy(3, principal->I[k] * trm_dot(3, a, w), a, l);
  }
}

double trm_system_body_kinetic(const trm_system *sys, int b) {
  const double *v = sys->motion.frames[b].v;
  double w[3], l[3];
  trm_spin(&sys->motion, b, w);
  trm_system_spin_momentum(sys, b, w, l);
  return (sys->inertia[b].mass * trm_dot(sys->motion.dim, v, v) + trm_dot(3, l, w)) / 2;
}

double trm_mechanism_kinetic(const trm_system *sys) {
  double T = 0;
  for (int b = 0; b < sys->motion.bodies; b++) T += trm_system_body_kinetic(sys, b);
  return T;
}

double trm_mechanism_spring_energy(const trm_system *sys) {
  double V = 0;
  for (int i = 0; i < sys->model->force_count; i++) {
    const trm_element *e = &sys->elements[i];
    if (e->type->potential) V += e->type->potential(e, &sys->motion);
  }
  return V;
}

double trm_mechanism_potential(const trm_system *sys) {
  double V = 0;
  for (int b = 0; b < sys->motion.bodies; b++)
    V -= trm_dot(sys->motion.dim, sys->weight_force + (ptrdiff_t)b * sys->motion.nq,
                 sys->motion.frames[b].x);
  return V + trm_mechanism_spring_energy(sys);
}

void trm_system_momentum(const trm_system *sys, double p[3], double l[3]) {
  for (int i = 0; i < 3; i++) p[i] = l[i] = 0;
  for (int b = 0; b < trm_model_placed(sys->model); b++) {
    const trm_frame *f = &sys->motion.frames[b];
    double w[3], spin[3], orbital[3];
    trm_spin(&sys->motion, b, w);
    trm_system_spin_momentum(sys, b, w, spin);
    trm_cross(f->x, f->v, orbital); /* planar frames have no third component */
    trm_axpy(3, sys->inertia[b].mass, f->v, p);
    trm_axpy(3, sys->inertia[b].mass, orbital, l);
    trm_axpy(3, 1, spin, l);
  }
}

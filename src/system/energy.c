/* Energies and momenta, from frames: the same in every formulation. */
#include "system/system.h"

/* With the true inertia: the fictitious one of a massless rotation carries no energy. */
double trm_system_kinetic(const trm_system *sys) {
  double T = 0;
  for (int b = 0; b < sys->motion.bodies; b++) {
    const trm_body *body = &sys->model->bodies[b];
    const double *v = sys->motion.frames[b].v;
    double w = trm_spin(&sys->motion, b);
    T += (body->mass * trm_dot(sys->motion.dim, v, v) + body->inertia[2] * w * w) / 2;
  }
  return T;
}

double trm_system_potential(const trm_system *sys) {
  double V = 0;
  for (int b = 0; b < sys->motion.bodies; b++) {
    const trm_body *body = &sys->model->bodies[b];
    V -= body->mass * trm_dot(sys->motion.dim, body->gravity, sys->motion.frames[b].x);
  }
  for (int i = 0; i < sys->model->force_count; i++) {
    const trm_element *e = &sys->elements[i];
    if (e->type->potential) V += e->type->potential(e, &sys->motion);
  }
  return V;
}

double trm_system_energy(const trm_system *sys) {
  return trm_system_kinetic(sys) + trm_system_potential(sys);
}

void trm_system_momentum(const trm_system *sys, double p[3], double l[3]) {
  for (int i = 0; i < 3; i++) p[i] = l[i] = 0;
  for (int b = 0; b < sys->motion.bodies; b++) {
    const trm_body *body = &sys->model->bodies[b];
    const trm_frame *f = &sys->motion.frames[b];
    trm_axpy(sys->motion.dim, body->mass, f->v, p);
    l[2] += body->mass * trm_cross_z(f->x, f->v) + body->inertia[2] * trm_spin(&sys->motion, b);
  }
}

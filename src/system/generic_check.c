/* What a callback or formula must not give: which one did, which component, and when. */
#include <stdarg.h>
#include <stdio.h>

#include "math/cholesky.h"
#include "system/generic.h"

__attribute__((format(printf, 3, 4))) static bool fail(trm_system *sys, trm_origin origin,
                                                       const char *format, ...) {
  char message[300];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  snprintf(sys->error, sizeof sys->error, "t = %.9g: %s", sys->t, message);
  sys->place = trm_origin_place(sys->model, origin);
  return false;
}

/* A value that is no number: why it is none, in the words of who wrote it. */
static bool refuse(trm_system *sys, trm_origin origin, const char *what, double value,
                   const char *callback) {
  const char *sort = isnan(value) ? "not a number" : "infinite"; /* printf may write -nan */
  if (sys->generic->user->formulas)
    return fail(sys, origin,
                "%s is %s: a formula has left its domain (a division by zero, a root of a negative "
                "number, a table outside its range)",
                what, sort);
  return fail(sys, origin, "%s is %s, as callback '%s' has it", what, sort, callback);
}

/* The first that is not finite, or −1. */
static int first_bad(const double *values, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += 0 * values[i];
  for (int i = 0; sum != 0 && i < count; i++)
    if (!isfinite(values[i])) return i;
  return -1;
}

bool trm_generic_check_state(trm_system *sys) {
  const trm_user *user = sys->generic->user;
  int bad = first_bad(sys->generic->x + 1, 2 * user->n);
  if (bad < 0) return true;
  return fail(sys, (trm_origin){0},
              "the motion of coordinate '%.60s' is no longer finite; a smaller step may help",
              user->names[bad % user->n]);
}

static bool check_symmetry(trm_system *sys) {
  const trm_user *user = sys->generic->user;
  const double *M = sys->M;
  int n = user->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double a = M[i * n + j], b = M[j * n + i], scale = fabs(M[i * n + i]) + fabs(M[j * n + j]);
      if (fabs(a - b) > 1e-9 * scale)
        return fail(sys, user->mass_origin,
                    "the mass matrix is not symmetric: row %d, column %d is %g, row %d, column %d "
                    "is %g",
                    i + 1, j + 1, a, j + 1, i + 1, b);
    }
  return true;
}

static bool check_definite(trm_system *sys) {
  const trm_user *user = sys->generic->user;
  int bad = -1;
  if (!user->mass_diagonal) bad = trm_cholesky_bad_pivot(user->n, sys->M, sys->generic->L);
  for (int i = 0; user->mass_diagonal && bad < 0 && i < user->n; i++)
    if (!(sys->M[i] > 0)) bad = i;
  if (bad < 0) return true;
  return fail(sys, user->mass_origin,
              "the mass matrix is not positive definite, as coordinate '%.60s' shows",
              user->names[bad]);
}

bool trm_generic_check_mass(trm_system *sys) {
  const trm_user *user = sys->generic->user;
  int n = user->n, bad = first_bad(sys->M, user->mass_diagonal ? n : n * n);
  char what[120];
  if (bad >= 0) {
    if (user->mass_diagonal)
      snprintf(what, sizeof what, "the mass of '%.60s'", user->names[bad]);
    else
      snprintf(what, sizeof what, "the mass matrix, row %d, column %d,", bad / n + 1, bad % n + 1);
    return refuse(sys, user->mass_origin, what, sys->M[bad], "mass");
  }
  return (user->mass_diagonal || check_symmetry(sys)) && check_definite(sys);
}

void trm_generic_row_name(const trm_system *sys, int row, char *text, size_t size) {
  const trm_generic *g = sys->generic;
  int m = g->user->m, p = g->user->p;
  if (row < m)
    snprintf(text, size, "constraint %d", row + 1);
  else if (row < m + p)
    snprintf(text, size, "velocity constraint %d", row - m + 1);
  else
    snprintf(text, size, "initial condition '%.60s'", g->conditions[row - m - p].measure.name);
}

static trm_origin row_origin(const trm_user *user, int row) {
  return row < user->m ? user->position_origin[row] : user->velocity_origin[row - user->m];
}

bool trm_generic_check_rows(trm_system *sys, bool velocity) {
  const trm_user *user = sys->generic->user;
  const trm_system_def *c = &user->callbacks;
  int n = user->n, first = velocity ? user->m : 0, count = velocity ? user->p : user->m;
  bool jets = velocity ? c->velocity_jet != NULL : c->position_jet != NULL;
  const char *value = velocity ? "velocity" : "position";
  const char *derivative = velocity ? "velocity_jacobian" : "position_jacobian";
  if (jets) value = derivative = velocity ? "velocity_jet" : "position_jet";
  char name[60], what[160];
  const double *values = velocity ? sys->Ct + first : sys->C;
  int bad = first_bad(values, count);
  if (bad >= 0) {
    trm_generic_row_name(sys, first + bad, name, sizeof name);
    return refuse(sys, row_origin(user, first + bad), name, values[bad], value);
  }
  bad = first_bad(sys->Cq + first * n, count * n);
  if (bad >= 0) {
    trm_generic_row_name(sys, first + bad / n, name, sizeof name);
    snprintf(what, sizeof what, "the derivative of %s by %.60s%s", name, user->names[bad % n],
             velocity ? "'" : "");
    return refuse(sys, row_origin(user, first + bad / n), what, sys->Cq[first * n + bad],
                  derivative);
  }
  bad = velocity ? -1 : first_bad(sys->Ct, count);
  if (bad < 0) return true;
  trm_generic_row_name(sys, bad, name, sizeof name);
  snprintf(what, sizeof what, "the derivative of %s by t", name);
  return refuse(sys, row_origin(user, bad), what, sys->Ct[bad], derivative);
}

bool trm_generic_check_velocity(trm_system *sys) {
  const trm_user *user = sys->generic->user;
  const trm_system_def *c = &user->callbacks;
  char name[60], what[160];
  int bad = first_bad(sys->Q, user->n);
  if (bad >= 0) {
    snprintf(what, sizeof what, "the force on '%.60s'", user->names[bad]);
    return refuse(sys, user->force_origin[bad], what, sys->Q[bad], "force");
  }
  bad = first_bad(sys->Qd, user->m + user->p);
  if (bad >= 0) {
    bool velocity = bad >= user->m;
    trm_generic_row_name(sys, bad, name, sizeof name);
    snprintf(what, sizeof what, "the acceleration term of %s", name);
    const char *callback = velocity          ? c->velocity_jet ? "velocity_jet" : "velocity_gamma"
                           : c->position_jet ? "position_jet"
                                             : "position_gamma";
    return refuse(sys, row_origin(user, bad), what, sys->Qd[bad], callback);
  }
  double energy = user->has_energy ? trm_generic_energy(sys->generic, sys->generic->x) : 0;
  if (!isfinite(energy))
    return refuse(sys, user->energy_origin, "the energy", energy,
                  c->energy ? "energy" : "energy_jet");
  if (!isfinite(sys->power))
    return refuse(sys, user->energy_origin, "the power", sys->power, "power");
  return true;
}

bool trm_generic_check_tangent(trm_system *sys, const double *values, int count) {
  int bad = first_bad(values, count), n = sys->n;
  if (bad < 0) return true;
  return fail(sys, (trm_origin){0},
              "the equation of coordinate '%.60s' cannot be differentiated by '%.60s' here",
              sys->generic->user->names[bad / n], sys->generic->user->names[bad % n]);
}

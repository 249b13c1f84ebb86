/* Steps of the implicit methods: what is recorded, cut steps, error estimate. */
#include "integrator/implicit.h"

#include <string.h>

#include "integrator/integrator.h"
#include "integrator/saddle.h"
#include "system/between.h"

#define GOLDEN    0.381966011250105 /* a step is cut where no earlier cut can meet a singularity */
#define MAX_DEPTH 12
#define NEAR      1e-2 /* of (motion/length)²: less left of A J⁻¹Aᵀ is a singular position */
#define DOUBT     1e-9 /* of the farthest distance: constraints say little, and much is round-off */
#define TURNED    0.02 /* of a velocity: more is not for a projection to change */
#define LONGER    10   /* times the last step: beyond, its round-off would be more than it tells */

/* --- creation --- */

static bool create_state(trm_scheme_state *state, trm_arena *arena, int n, int m) {
  state->y = TRM_NEW(arena, double, 2 * n + 1);
  state->ydot = TRM_NEW(arena, double, 2 * n + 1);
  state->aux = TRM_NEW(arena, double, n + 1);
  state->slope = TRM_NEW(arena, double, n + m + 1);
  state->lambda = TRM_NEW(arena, double, m + 1);
  state->u = TRM_NEW(arena, double, n + 1);
  return !trm_arena_failed(arena);
}

static bool create_arrays(trm_implicit *im, trm_arena *arena, const trm_system *sys) {
  size_t n = (size_t)im->n, m = (size_t)im->m;
  size_t panels = (size_t)sys->structure.panel_value[sys->structure.blocks];
  const struct {
    double **array;
    size_t size;
  } list[] = {
      {&im->v0, n},        {&im->a0, n},          {&im->u, n},
      {&im->q, n},         {&im->v, n},           {&im->a, n},
      {&im->x, n},         {&im->span, n},        {&im->lambda, m},
      {&im->b, n + m},     {&im->E, m},           {&im->miss, m},
      {&im->unit, m},      {&im->square, m},      {&im->A1, panels},
      {&im->A2, panels},   {&im->slope, panels},  {&im->before, n + 1},
      {&im->after, n + 1}, {&im->earlier, n + 1}, {&im->J, (size_t)im->tangent->nonzeros},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    *list[i].array = TRM_NEW(arena, double, list[i].size + 1);
    if (!*list[i].array) return false;
  }
  im->left_out = TRM_NEW(arena, bool, m + 1);
  im->turns = TRM_NEW(arena, bool, n + 1);
  return im->left_out && im->turns && create_state(&im->now, arena, im->n, im->m) &&
         create_state(&im->next, arena, im->n, im->m);
}

static void keep_state(trm_scheme_state *state, trm_arena *arena, size_t n, size_t m) {
  trm_keep_at(arena, &state->y, (2 * n + 1) * sizeof(double));
  trm_keep_at(arena, &state->ydot, (2 * n + 1) * sizeof(double));
  trm_keep_at(arena, &state->aux, n * sizeof(double));
  trm_keep_at(arena, &state->slope, (n + m) * sizeof(double));
  trm_keep_at(arena, &state->lambda, m * sizeof(double));
  trm_keep_at(arena, &state->u, n * sizeof(double));
  TRM_KEEP(arena, state->at);
  TRM_KEEP(arena, state->h);
  TRM_KEEP(arena, state->aux_h);
}

static void keep(trm_implicit *im, trm_arena *arena) {
  size_t n = (size_t)im->n, m = (size_t)im->m;
  keep_state(&im->now, arena, n, m);
  TRM_KEEP(arena, im->started);
  TRM_KEEP(arena, im->t);
  TRM_KEEP(arena, im->factored);
  TRM_KEEP(arena, im->factored_beta);
  TRM_KEEP(arena, im->factored_gamma);
  TRM_KEEP(arena, im->stale);
  TRM_KEEP(arena, im->motion);
  TRM_KEEP(arena, im->stride);
  TRM_KEEP(arena, im->speed);
  TRM_KEEP(arena, im->tolerance);
  TRM_KEEP(arena, im->distance);
  TRM_KEEP(arena, im->farthest);
  TRM_KEEP(arena, im->iterations);
  TRM_KEEP(arena, im->jacobians);
  TRM_KEEP(arena, im->splits);
  trm_keep(arena, im->unit, m * sizeof(double));
  trm_keep(arena, im->left_out, m * sizeof(bool));
  trm_keep_at(arena, &im->earlier, (n + 1) * sizeof(double));
  trm_keep_at(arena, &im->before, (n + 1) * sizeof(double));
  TRM_KEEP(arena, im->earlier_h);
  trm_keep_at(arena, &im->after, (n + 1) * sizeof(double));
}

static void describe(trm_implicit *im, const trm_system *sys) {
  const trm_motion *m = &sys->motion;
  im->length = sys->size;
  for (int i = 0; i < im->n; i++)
    im->turns[i] = i < sys->n && (sys->generic || i % m->nq >= m->dim);
  for (int r = 0; r < im->m; r++) im->rates += sys->rate_row[r];
}

trm_implicit *trm_implicit_create(const trm_settings *settings, trm_arena *arena,
                                  const trm_scheme *scheme, trm_dynamics *d) {
  trm_system *sys = d->system;
  trm_implicit *im = TRM_NEW(arena, trm_implicit, 1);
  if (!im) return NULL;
  im->scheme = scheme;
  im->n = d->at.v;
  im->m = sys->m;
  trm_solver_want_intrinsic(d->solver, true); /* they bend the constraints' forces */
  im->spectral_radius = settings->spectral_radius;
  im->constraint_inertia = strcmp(settings->constraint_inertia, "true") == 0;
  im->tangent = trm_tangent_create(sys, arena);
  if (!im->tangent || !create_arrays(im, arena, sys)) return NULL;
  im->states = d->at.states;
  memcpy(im->span, sys->span, (size_t)sys->n * sizeof(double));
  im->rate = sys->rate_row;
  describe(im, sys);
  keep(im, arena);
  im->law = TRM_NEW(arena, double, sys->law_slope_count + 1);
  im->kkt = trm_kkt_of_tangent(arena, sys, im->tangent, false, 1);
  return im->law && im->kkt ? im : NULL;
}

/* --- rows that depend on others --- */

/* Which rows are left out, at the state at hand. */
static void choose_rows(trm_implicit *im, trm_dynamics *d, double t) {
  trm_system *sys = d->system;
  const trm_stabilizer *st = d->stabilizer;
  memcpy(im->left_out, st->redundant, (size_t)im->m * sizeof(bool));
  im->factored = false;
  trm_system_take_states(sys, im->now.y + d->at.v);
  if (st->rank < im->m && trm_system_position(sys, t, im->now.y)) {
    trm_solver_factor(d->solver, sys->M, sys->Cq, sys->N);
    if (trm_solver_rank(d->solver) == st->rank) /* others may do here, not more */
      memcpy(im->left_out, trm_solver_left_out(d->solver), (size_t)im->m * sizeof(bool));
  }
  for (int r = 0; r < im->m; r++)
    if (im->left_out[r]) im->now.lambda[r] = im->now.slope[im->n + r] = 0;
}

/* --- one step --- */

static void start(trm_implicit *im, trm_dynamics *d, double t, const double *y,
                  const double *ydot) {
  size_t size = (size_t)d->size * sizeof(double);
  memcpy(im->now.y, y, size);
  memcpy(im->now.ydot, ydot, size);
  memcpy(im->now.aux, ydot + im->n, (size_t)im->n * sizeof(double));
  memset(im->now.slope, 0, (size_t)(im->n + im->m) * sizeof(double));
  memcpy(im->now.lambda, d->system->lambda, (size_t)im->m * sizeof(double));
  im->now.h = im->now.aux_h = im->earlier_h = 0;
  im->now.at = t;
  trm_solver_find_free(d->solver, im->tangent->kept);
  choose_rows(im, d, t);
  im->t = t;
  if (im->scheme->inertia && trm_system_has_momenta(d->system))
    trm_system_momenta(d->system, im->tangent, im->now.y, im->now.y + im->n, im->now.aux);
  im->started = true;
}

static bool is_near_singular(const trm_implicit *im) {
  return im->distance < NEAR * im->motion * im->motion * im->farthest;
}

bool trm_implicit_is_singular(const trm_implicit *im) {
  return im->distance < DOUBT * im->farthest;
}

/* States without a rate: as differences of positions they would take up round-off. */
static void keep_constant(trm_implicit *im, const trm_dynamics *d) {
  const trm_model *model = d->system->model;
  for (int k = 0; k < model->state_count; k++) {
    const trm_quantity *rate = &model->signals[model->states[k]].value;
    if (!rate->formula && rate->number == 0) im->next.y[d->at.z + k] = im->now.y[d->at.z + k];
  }
}

static bool try_stage(trm_implicit *im, trm_dynamics *d, double t, double end) {
  double h = end - t;
  im->end_t = end;
  im->h = h;
  for (int i = im->n - im->states; i < im->n; i++)
    im->span[i] = fmax(1, fabs(im->now.y[im->n + i]));
  im->scheme->begin(im, t, h);
  trm_implicit_predict(im, h);
  if (!trm_implicit_stage(im, d) || !im->scheme->finish(im, d, end, h)) return false;
  keep_constant(im, d);
  trm_implicit_remember(im);
  return true;
}

static void swap_states(trm_implicit *im) {
  trm_scheme_state state = im->now;
  im->now = im->next;
  im->next = state;
}

static void accept_state(trm_implicit *im, double t) {
  swap_states(im);
  im->t = t;
}

static bool fail(trm_implicit *im, trm_dynamics *d, double t, double h) {
  const trm_failure failure = {.what = "Newton's iteration does not converge",
                               .step = h,
                               .residual = im->residual,
                               .unit = "",
                               .coordinate = im->worst < im->n ? im->worst : -1,
                               .row = im->worst - im->n,
                               .advice = "a smaller step may help"};
  return trm_explain(d, t, im->now.y, im->next.ydot, &failure);
}

/* Moves im->now to `end`; im->next then holds where it came from. A step that does not succeed is
 * cut in two. */
static bool advance(trm_implicit *im, trm_dynamics *d, double end, int depth) {
  double t = im->t;
  d->system->error[0] = 0;
  if (try_stage(im, d, t, end)) {
    accept_state(im, end);
    return true;
  }
  if (depth == MAX_DEPTH) return d->system->error[0] ? false : fail(im, d, t, end - t);
  im->splits++;
  im->factored = false;
  if (depth == 1) choose_rows(im, d, t);
  return advance(im, d, t + GOLDEN * (end - t), depth + 1) && advance(im, d, end, depth + 1);
}

static bool has_turned(const trm_layout *at, const double *y, const double *before) {
  double most = 0, change = 0;
  for (int i = at->v; i < at->z; i++) {
    most = fmax(most, fabs(before[i]));
    change = fmax(change, fabs(y[i] - before[i]));
  }
  return change > TURNED * most;
}

/* A rule's velocity is off by h² across the constraints, along M⁻¹Cqᵀ, to and fro: events would see
 * it. A correction in another direction, as partitioning makes, would turn that into an error along
 * the motion. */
bool trm_implicit_project(trm_dynamics *d, double t, double *y) {
  trm_system *sys = d->system;
  if (!trm_dynamics_factor(d, t, y)) return false;
  trm_system_velocity_residual(sys, y + d->at.v, d->mu);
  trm_solver_project(d->solver, d->mu, d->normal);
  trm_axpy(d->n, -1, d->normal, y + d->at.v);
  return true;
}

/* The part of a velocity across the constraints changes its sign from step to step. The energy
 * bounds it where M is constant, and rows of velocity level hold it; in Euler parameters it may
 * grow until nothing is left of the motion. */
static bool has_strayed(trm_implicit *im, const trm_dynamics *d, const double *recorded,
                        const double *own) {
  double most = 0;
  for (int i = 0; i < d->n; i++)
    most = fmax(most, fabs(recorded[d->at.v + i] - own[d->at.v + i]) / im->span[i]);
  im->stride = fmax(im->stride, im->motion);
  im->speed = fmax(im->speed, im->motion / im->h);
  return most > fmax(TURNED, im->stride * im->stride / 2) * im->speed;
}

/* What is recorded is on the constraints in position and velocity; the scheme goes on as it is.
 * An error ε of C is ε/δ² of a velocity at δ from a singular position: better none is corrected. */
static bool record(trm_integrator *in, trm_dynamics *d, double end, const trm_scheme_state *state) {
  trm_system *sys = d->system;
  memcpy(in->trial, state->y, (size_t)in->size * sizeof(double));
  if (in->implicit->scheme->kinetic) { /* Newton goes on to round-off, and the energy is kept */
    trm_system_take_states(sys, state->y + d->at.v);
    if (!trm_system_position(sys, end, state->y)) return false;
    d->kinetic = in->implicit->scheme->kinetic(in->implicit, d, state);
  }
  bool projects = d->stabilizer->type == &trm_stabilization_direct; /* by the masses, too */
  bool good = (projects || trm_implicit_project(d, end, in->trial)) &&
              trm_dynamics_correct(d, end, in->trial, in->rates);
  d->kinetic = -1;
  trm_implicit *im = in->implicit;
  bool doubtful = im->scheme->avoids ? is_near_singular(im) : trm_implicit_is_singular(im);
  bool may_stray = im->scheme->kinetic && trm_system_has_momenta(sys) && im->rates == 0;
  im->strayed = good && may_stray && !doubtful && has_strayed(im, d, in->trial, state->y);
  if (!good || !doubtful || !has_turned(&d->at, in->trial, state->y)) return good;
  memcpy(in->trial, state->y, (size_t)in->size * sizeof(double));
  return trm_dynamics_evaluate(d, end, in->trial, in->rates);
}

static void count(trm_integrator *in) {
  in->iterations = in->implicit->iterations;
  in->jacobians = in->implicit->jacobians;
  in->cuts = in->implicit->splits;
}

/* Of a step that an event or the grid leaves of next to no length: round-off of positions over it
 * would be an error of velocities. */
static bool go_straight(trm_integrator *in, trm_dynamics *d, double t, double end, const double *y,
                        const double *ydot) {
  in->implicit->started = false;
  memcpy(in->trial, y, (size_t)in->size * sizeof(double));
  trm_axpy(in->size, end - t, ydot, in->trial);
  if (!trm_dynamics_correct(d, end, in->trial, in->rates)) return false;
  if (in->variable) trm_keep_cubic(in, t, end - t, y, ydot);
  return true;
}

bool trm_implicit_step(trm_integrator *in, trm_dynamics *d, double t, double *end, double h,
                       const double *y, const double *ydot) {
  trm_implicit *im = in->implicit;
  if (*end - t <= TRM_STRAIGHT * in->longest_step) return go_straight(in, d, t, *end, y, ydot);
  if (in->variable) return trm_variable_step(in, d, t, end, h, y, ydot);
  if (!im->started) start(im, d, t, y, ydot);
  /* a state close to a singular position is recorded, but not gone on from: the next step starts
   * before it, and has neither an end nor a midpoint there */
  if (im->t < t && !advance(im, d, t - GOLDEN * (t - im->t), 0)) return false;
  long cuts = im->splits;
  double from = im->t;
  bool good = advance(im, d, *end, 0) && record(in, d, *end, &im->now);
  bool whole = good && from == t && cuts == im->splits;
  if (whole && im->scheme->avoids && is_near_singular(im)) accept_state(im, from);
  if (good && im->strayed) im->started = false; /* on from what is recorded, with its energy */
  count(in);
  return good;
}

/* --- variable step --- */

/* A step that a change of piece has cut leaves round-off over its length, and over the square of
 * it: behind it the scheme starts afresh. */
static bool goes_on(const trm_implicit *im, double h) {
  return im->started && !(im->now.h > 0 && h > LONGER * im->now.h);
}

static bool attempt(trm_integrator *in, trm_dynamics *d, double t, double h, const double *y,
                    const double *ydot) {
  trm_implicit *im = in->implicit;
  if (!goes_on(im, h)) start(im, d, t, y, ydot);
  d->system->error[0] = 0;
  bool good = try_stage(im, d, t, t + h) && !(im->scheme->avoids && is_near_singular(im));
  count(in);
  if (good && record(in, d, t + h, &im->next)) return true;
  im->factored = false;
  return d->system->error[0] ? false : fail(im, d, t, h);
}

/* Slope of accelerations behind two steps, and the second derivative behind three: of a scheme that
 * goes on with velocities of its own, between the middles of steps, because these velocities
 * alternate, by as much in short steps as in the long one that brought it about. */
static void differentiate(const trm_implicit *im, double h, int i, const double *a1,
                          const double *a0, double *slope, double *second) {
  double h0 = im->now.h, h1 = im->earlier_h, last = 0;
  *slope = (a1[i] - a0[i]) / h;
  if (h0 > 0) last = (a0[i] - im->before[i]) / h0;
  /* in a first step nothing tells how they went before: of the motion, positions have an error */
  *second = h0 > 0 || i == im->n ? (*slope - last) * 2 / (h + h0) : 0;
  if (!im->scheme->kinetic || h0 == 0) return;
  *slope = (a1[i] - im->before[i]) / (h + h0);
  if (h1 > 0) *second = (*slope - (a0[i] - im->earlier[i]) / (h0 + h1)) * 4 / (h + 2 * h0 + h1);
}

/* The local errors of the rule, h³q⃛ of positions and h³q⁗ of velocities, by differences of the
 * recorded accelerations. */
static double estimate(trm_integrator *in, trm_dynamics *d, double h, const double *y,
                       const double *ydot) {
  trm_implicit *im = in->implicit;
  int n = im->n;
  double *e = in->estimate, cube = h * h * h;
  for (int i = 0; i <= n; i++) { /* the last one is the power, and its error that of the work */
    double slope, second;
    differentiate(im, h, i, in->rates + n, ydot + n, &slope, &second);
    if (i < n) e[i] = im->scheme->position_error * cube * slope;
    e[n + i] = im->scheme->velocity_error * cube * second;
    im->after[i] = ydot[n + i];
  }
  return trm_step_error(in, d, y);
}

static void accept(trm_integrator *in) {
  trm_implicit *im = in->implicit;
  double *earlier = im->earlier;
  im->earlier_h = im->now.h;
  im->earlier = im->before;
  im->before = im->after;
  im->after = earlier;
  accept_state(im, in->from + in->length);
  if (im->strayed) im->started = false;
}

const trm_control trm_implicit_control = {.order = 3,
                                          .parts = 4,
                                          .attempt = attempt,
                                          .estimate = estimate,
                                          .keep_dense = trm_keep_cubic,
                                          .accept = accept,
                                          .steady = 1.3};

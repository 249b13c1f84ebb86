/* How fast models/four_bar.yaml could be: a step written by hand for this mechanism alone, beside
 * the engine's.
 *
 * Natural coordinates: origin x and first axis a of each bar; the second axis is a turned by 90°.
 * A step is the engine's with ab6 and direct correction: Adams-Bashforth, then positions,
 * velocities and accelerations with one factorization of Cq M⁻¹ Cqᵀ. With the normalization of the
 * axes eliminated bar by bar, that matrix has 2 × 2 blocks along the loop A, B, C, D. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <trammel/trammel.h>

#include "../tests/extremes.h"

/* y: x, a of each bar; their rates; the work of the damper; padding */
enum { BARS = 3, JOINTS = 4, N = 4 * BARS, WORK = 2 * N, SIZE = 28, ORDER = 6 };

#define MOBILITY    (1 / 3.0) /* 1/m: a division takes as long as ten products */
#define INERTIA     4.040
#define HALF        2.0 /* of a bar's length */
#define GRAVITY     9.81
#define STIFFNESS   200.0
#define DAMPING     15.0
#define FREE_LENGTH 4.0
#define STEP        1e-3
#define STEPS       5000
#define SEPARATION  4.0 /* of the joints A and D */

static const double refactor = 1e-8; /* a larger correction needs a factorization of its own */
static const double agreement = 1e-9;
static const double seconds = 1; /* for each measurement */

typedef struct vec {
  double x, y;
} vec;

typedef struct symmetric {
  double xx, xy, yy;
} symmetric;

/* Bar i goes from joint i, its left end, to joint i + 1. The gap of a joint is the right end before
 * it minus the left end after it; at A it is the crank's left end. */
typedef struct factors {
  vec p[BARS];               /* a turned by 90° */
  symmetric off[BARS];       /* block between joints i and i + 1 */
  symmetric inverse[JOINTS]; /* of the diagonal blocks, after elimination */
} factors;

/* How the bars move or accelerate. */
typedef struct motion {
  vec x[BARS];
  double turn[BARS];
} motion;

static inline double left_sign(int bar) {
  return bar == 0 ? 1 : -1;
}

static inline vec times(symmetric m, vec u) {
  return (vec){m.xx * u.x + m.xy * u.y, m.xy * u.x + m.yy * u.y};
}

static inline vec minus(vec a, vec b) {
  return (vec){a.x - b.x, a.y - b.y};
}

static inline symmetric sum(symmetric a, symmetric b) {
  return (symmetric){a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
}

static inline symmetric inverse_of(symmetric m) {
  double d = 1 / (m.xx * m.yy - m.xy * m.xy);
  return (symmetric){m.yy * d, -m.xy * d, m.xx * d};
}

/* d − o i o */
static inline symmetric eliminate(symmetric d, symmetric o, symmetric i) {
  vec first = times(i, (vec){o.xx, o.xy}), second = times(i, (vec){o.xy, o.yy});
  return (symmetric){d.xx - o.xx * first.x - o.xy * first.y,
                     d.xy - o.xx * second.x - o.xy * second.y,
                     d.yy - o.xy * second.x - o.yy * second.y};
}

/* The mobility of a bar's ends is 1/m + HALF² p pᵀ/I, and 1/m − HALF² p pᵀ/I across the bar. */
static inline void factor(factors *f, const double *y) {
  const double k = HALF * HALF / INERTIA, e = MOBILITY;
  symmetric end[BARS];
  for (int i = 0; i < BARS; i++) {
    vec p = f->p[i] = (vec){-y[4 * i + 3], y[4 * i + 2]};
    symmetric t = {k * p.x * p.x, k * p.x * p.y, k * p.y * p.y};
    double s = left_sign(i);
    end[i] = (symmetric){e + t.xx, t.xy, e + t.yy};
    f->off[i] = (symmetric){s * (e - t.xx), -s * t.xy, s * (e - t.yy)};
  }
  /* from both ends of the chain towards its middle: half as long to wait */
  f->inverse[0] = inverse_of(end[0]);
  f->inverse[3] = inverse_of(end[2]);
  symmetric b = eliminate(sum(end[0], end[1]), f->off[0], f->inverse[0]);
  symmetric c = eliminate(sum(end[1], end[2]), f->off[2], f->inverse[3]);
  f->inverse[1] = inverse_of(b);
  f->inverse[2] = inverse_of(eliminate(c, f->off[1], f->inverse[1]));
}

/* The least mass-weighted motion that takes the gaps g away. */
static inline motion solve(const factors *f, const vec g[JOINTS]) {
  vec lambda[JOINTS];
  vec b = minus(g[1], times(f->off[0], times(f->inverse[0], g[0])));
  vec c = minus(g[2], times(f->off[2], times(f->inverse[3], g[3])));
  lambda[2] = times(f->inverse[2], minus(c, times(f->off[1], times(f->inverse[1], b))));
  lambda[1] = times(f->inverse[1], minus(b, times(f->off[1], lambda[2])));
  lambda[0] = times(f->inverse[0], minus(g[0], times(f->off[0], lambda[1])));
  lambda[3] = times(f->inverse[3], minus(g[3], times(f->off[2], lambda[2])));
  motion result;
  for (int i = 0; i < BARS; i++) {
    double s = left_sign(i);
    vec l = {s * lambda[i].x, s * lambda[i].y}, r = lambda[i + 1];
    result.x[i] = (vec){-(l.x + r.x) * MOBILITY, -(l.y + r.y) * MOBILITY};
    result.turn[i] = -(f->p[i].x * (r.x - l.x) + f->p[i].y * (r.y - l.y)) * (HALF / INERTIA);
  }
  return result;
}

/* Gaps of the joints from the bars' origins and half-axes, or from their rates. */
static inline void gaps(const vec x[BARS], const vec d[BARS], double separation, vec g[JOINTS]) {
  g[0] = (vec){x[0].x - d[0].x, x[0].y - d[0].y};
  for (int j = 1; j < BARS; j++)
    g[j] =
        (vec){x[j - 1].x + d[j - 1].x - x[j].x + d[j].x, x[j - 1].y + d[j - 1].y - x[j].y + d[j].y};
  g[BARS] = (vec){x[2].x + d[2].x - separation, x[2].y + d[2].y};
}

static inline void state_gaps(const double *y, double separation, vec g[JOINTS]) {
  vec x[BARS], d[BARS];
  for (int i = 0; i < BARS; i++) {
    x[i] = (vec){y[4 * i], y[4 * i + 1]};
    d[i] = (vec){HALF * y[4 * i + 2], HALF * y[4 * i + 3]};
  }
  gaps(x, d, separation, g);
}

/* Moves the state along; the largest change of an axis. */
static inline double move(const factors *f, const motion *m, double *y) {
  double largest = 0;
  for (int i = 0; i < BARS; i++) {
    y[4 * i] += m->x[i].x;
    y[4 * i + 1] += m->x[i].y;
    y[4 * i + 2] += m->turn[i] * f->p[i].x;
    y[4 * i + 3] += m->turn[i] * f->p[i].y;
    largest = fmax(largest, fabs(m->turn[i]));
  }
  return largest;
}

/* Onto the constraints: axes of length one, then closed joints; positions, then velocities. */
static inline void correct(factors *f, double *y) {
  vec g[JOINTS];
  double change;
  do {
    for (int i = 0; i < BARS; i++) {
      double *a = y + 4 * i + 2, scale = 1.5 - 0.5 * (a[0] * a[0] + a[1] * a[1]);
      a[0] *= scale;
      a[1] *= scale;
    }
    factor(f, y);
    state_gaps(y, SEPARATION, g);
    motion closing = solve(f, g);
    change = move(f, &closing, y);
  } while (change > refactor);
  double *v = y + N;
  for (int i = 0; i < BARS; i++) {
    const double *a = y + 4 * i + 2;
    double *da = v + 4 * i + 2, stretch = a[0] * da[0] + a[1] * da[1];
    da[0] -= stretch * a[0];
    da[1] -= stretch * a[1];
  }
  state_gaps(v, 0, g);
  motion stopping = solve(f, g);
  move(f, &stopping, v);
}

/* Gravity and the spring-damper between the crank's right and the rocker's left end; its power. */
static inline double apply_forces(const factors *f, const double *y, motion *free) {
  const double *v = y + N;
  vec e = {y[8] - HALF * y[10] - y[0] - HALF * y[2], y[9] - HALF * y[11] - y[1] - HALF * y[3]};
  vec w = {v[8] - HALF * v[10] - v[0] - HALF * v[2], v[9] - HALF * v[11] - v[1] - HALF * v[3]};
  double length = sqrt(e.x * e.x + e.y * e.y), inverse = 1 / length;
  double rate = (e.x * w.x + e.y * w.y) * inverse;
  double pull = (STIFFNESS * (length - FREE_LENGTH) + DAMPING * rate) * inverse;
  vec force = {pull * e.x, pull * e.y};
  vec push = {MOBILITY * force.x, MOBILITY * force.y};
  *free = (motion){{{push.x, push.y - GRAVITY}, {0, -GRAVITY}, {-push.x, -push.y - GRAVITY}},
                   {(f->p[0].x * force.x + f->p[0].y * force.y) * (HALF / INERTIA), 0,
                    (f->p[2].x * force.x + f->p[2].y * force.y) * (HALF / INERTIA)}};
  return -DAMPING * rate * rate;
}

/* ẏ at a corrected state whose factors are at hand. */
static inline void rates(const factors *f, const double *y, double *ydot) {
  const double *v = y + N;
  motion free;
  vec d[BARS], g[JOINTS];
  double spin[BARS];
  ydot[WORK] = apply_forces(f, y, &free);
  for (int i = 0; i < BARS; i++) {
    const double *a = y + 4 * i + 2, *da = v + 4 * i + 2;
    spin[i] = da[0] * da[0] + da[1] * da[1];
    d[i] = (vec){HALF * (free.turn[i] * f->p[i].x - spin[i] * a[0]),
                 HALF * (free.turn[i] * f->p[i].y - spin[i] * a[1])};
  }
  gaps(free.x, d, 0, g);
  motion tied = solve(f, g);
  memcpy(ydot, v, N * sizeof *v);
  for (int i = 0; i < BARS; i++) {
    double turn = free.turn[i] + tied.turn[i], *acceleration = ydot + N + 4 * i;
    acceleration[0] = free.x[i].x + tied.x[i].x;
    acceleration[1] = free.x[i].y + tied.x[i].y;
    acceleration[2] = turn * f->p[i].x - spin[i] * y[4 * i + 2];
    acceleration[3] = turn * f->p[i].y - spin[i] * y[4 * i + 3];
  }
}

static void start(double *y) {
  const double c = sqrt(0.5), x[BARS] = {HALF * c, 2 * HALF * c + HALF, SEPARATION + HALF * c};
  memset(y, 0, SIZE * sizeof *y);
  for (int i = 0; i < BARS; i++) {
    y[4 * i] = x[i];
    y[4 * i + 1] = i == 1 ? -2 * HALF * c : -HALF * c;
    y[4 * i + 2] = i == 0 ? c : i == 1 ? 1 : -c;
    y[4 * i + 3] = i == 0 ? -c : i == 1 ? 0 : c;
  }
}

/* A classical Runge-Kutta step, for the first few steps cut small. */
static void runge_kutta(factors *f, double *y, double step) {
  const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double k[SIZE] = {0}, stage[SIZE], sum[SIZE] = {0};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < SIZE; i++) stage[i] = y[i] + at[s] * step * k[i];
    factor(f, stage);
    rates(f, stage, k);
    for (int i = 0; i < SIZE; i++) sum[i] += weight[s] * k[i];
  }
  for (int i = 0; i < SIZE; i++) y[i] += step * sum[i];
  correct(f, y);
}

static void simulate(double y[SIZE]) {
  static const double weight[ORDER] = {STEP * 4277 / 1440, -STEP * 7923 / 1440,
                                       STEP * 9982 / 1440, -STEP * 7298 / 1440,
                                       STEP * 2877 / 1440, -STEP * 475 / 1440};
  double history[ORDER][SIZE] = {{0}}, *f[ORDER];
  factors at;
  start(y);
  correct(&at, y);
  for (int k = 0; k < ORDER; k++) {
    f[ORDER - 1 - k] = history[k];
    rates(&at, y, history[k]);
    for (int part = 0; part < 32 && k < ORDER - 1; part++) runge_kutta(&at, y, STEP / 32);
  }
  for (int n = ORDER - 1; n < STEPS; n++) {
    for (int i = 0; i < SIZE; i++)
      y[i] += weight[0] * f[0][i] + weight[1] * f[1][i] + weight[2] * f[2][i] +
              weight[3] * f[3][i] + weight[4] * f[4][i] + weight[5] * f[5][i];
    correct(&at, y);
    double *oldest = f[ORDER - 1];
    memmove(f + 1, f, (ORDER - 1) * sizeof *f);
    f[0] = oldest;
    rates(&at, y, f[0]);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other programs may be at work, too */
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double measure_by_hand(double y[SIZE]) {
  double best = INFINITY, end = now() + seconds;
  do {
    double begin = now();
    simulate(y);
    best = smaller(best, (now() - begin) / STEPS);
  } while (now() < end);
  return 1e9 * best;
}

/* The engine's end state in the same order; false where something failed. */
static bool read_state(trm_simulation *simulation, double y[SIZE]) {
  static const char *const bars[BARS] = {"crank", "coupler", "rocker"};
  static const char *const names[6] = {"x", "y", "angle", "vx", "vy", "omega"};
  double m[6];
  for (int i = 0; i < BARS; i++) {
    for (int k = 0; k < 6; k++) {
      char measure[32];
      snprintf(measure, sizeof measure, "%s.%s", bars[i], names[k]);
      int handle = trm_simulation_find(simulation, measure, NULL);
      if (handle < 0) return false;
      m[k] = trm_simulation_get(simulation, handle);
    }
    double c = cos(m[2]), s = sin(m[2]);
    memcpy(y + 4 * i, (double[4]){m[0], m[1], c, s}, 4 * sizeof *y);
    memcpy(y + N + 4 * i, (double[4]){m[3], m[4], -m[5] * s, m[5] * c}, 4 * sizeof *y);
  }
  int work = trm_simulation_find(simulation, "energy.work", NULL);
  if (work >= 0) y[WORK] = trm_simulation_get(simulation, work);
  return work >= 0;
}

static double measure_engine(const trm_model *model, double y[SIZE], trm_diagnostics *diagnostics) {
  double best = INFINITY, end = now() + seconds;
  trm_settings settings = *trm_model_settings(model);
  trm_settings_set(&settings, "coordinates", "natural", diagnostics);
  trm_settings_set(&settings, "solver", "udwadia-kalaba", diagnostics);
  trm_settings_set(&settings, "stabilization", "direct", diagnostics);
  trm_settings_set(&settings, "integrator", "ab6", diagnostics);
  bool good = trm_diagnostics_errors(diagnostics) == 0;
  settings.step = STEP;
  settings.duration = STEP * STEPS;
  while (good && (isinf(best) || now() < end)) {
    trm_simulation *simulation = trm_simulation_create(model, &settings, diagnostics, NULL);
    good = simulation && trm_simulation_run(simulation, NULL, NULL, NULL, diagnostics) == TRM_OK &&
           read_state(simulation, y);
    if (good) {
      const trm_summary *summary = trm_simulation_summary(simulation);
      best = smaller(best, summary->cpu_seconds / (double)summary->steps);
    }
    trm_simulation_destroy(simulation);
  }
  return good ? 1e9 * best : -1;
}

static int compare(const trm_model *model, trm_diagnostics *diagnostics) {
  double hand[SIZE], engine[SIZE] = {0}, largest = 0;
  double by_engine = measure_engine(model, engine, diagnostics), by_hand = measure_by_hand(hand);
  if (by_engine < 0) return 1;
  for (int i = 0; i <= WORK; i++) largest = larger(largest, fabs(hand[i] - engine[i]));
  printf("four_bar, natural, udwadia-kalaba, direct, ab6: ns/step\n");
  printf("  %-24s%8.0f\n  %-24s%8.0f\n  %-24s%8.1f\n", "engine", by_engine, "written by hand",
         by_hand, "ratio", by_engine / by_hand);
  printf("  %-24s%8.1e\n", "end states differ by", largest);
  if (largest <= agreement) return 0;
  fprintf(stderr, "the two end states must agree to %g\n", agreement);
  return 1;
}

int main(int argc, char **argv) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  const char *path = argc > 1 ? argv[1] : "models/four_bar.yaml";
  trm_model *model = trm_model_load(path, NULL, diagnostics, NULL);
  int status = model ? compare(model, diagnostics) : 1;
  for (int i = 0; i < trm_diagnostics_count(diagnostics); i++) {
    char text[1024];
    trm_diagnostic_format(trm_diagnostics_get(diagnostics, i), text, sizeof text);
    fputs(text, stderr);
  }
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
  return status;
}

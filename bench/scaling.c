/* Time, memory and loading against size: the chain and the row of four-bar windows, in the plane
 * and in space. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <trammel/trammel.h>
#include <unistd.h>

#include "../tests/extremes.h"

typedef struct family {
  const char *name, *path;
  int bodies, least; /* N windows have 2 N + 1 bodies */
  int largest;
} family;

typedef struct cost {
  int bodies;
  double load, create, step; /* s */
  double kilobytes;          /* at the peak */
  double speedup;            /* of the second thread; 0: not measured */
} cost;

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_stretch(trm_simulation *sim, int bodies, clockid_t clock) {
  int steps = 1 + 20000 / bodies;
  double start = now(clock);
  for (int i = 0; i < steps; i++)
    if (trm_simulation_step(sim, NULL) != TRM_OK) return NAN;
  return (now(clock) - start) / steps;
}

/* The fastest of many stretches: what disturbs only ever makes one slower. */
static double time_steps(trm_simulation *sim, int bodies) {
  double best = INFINITY, start = now(CLOCK_MONOTONIC);
  for (int stretch = 0; stretch < 9 || now(CLOCK_MONOTONIC) - start < 0.6; stretch++)
    best = smaller(best, time_stretch(sim, bodies, CLOCK_PROCESS_CPUTIME_ID));
  return best;
}

/* By the wall clock, taking turns. */
static double time_threads(const trm_model *model, trm_settings settings, int bodies) {
  trm_simulation *sim[2];
  double best[2] = {INFINITY, INFINITY};
  for (int i = 0; i < 2; i++) {
    settings.threads = i + 1;
    sim[i] = trm_simulation_create(model, &settings, NULL, NULL);
    if (!sim[i]) return 0;
  }
  for (int stretch = 0; stretch < 9; stretch++)
    for (int i = 0; i < 2; i++)
      best[i] = smaller(best[i], time_stretch(sim[i], bodies, CLOCK_MONOTONIC));
  for (int i = 0; i < 2; i++) trm_simulation_destroy(sim[i]);
  return best[0] / best[1];
}

static cost measure(const family *f, int size, trm_space space) {
  char text[32];
  const char *const overrides[] = {text, NULL};
  snprintf(text, sizeof text, "N=%d", size);
  cost c = {.bodies = f->bodies * size + f->least, .step = NAN};
  double start = now(CLOCK_PROCESS_CPUTIME_ID);
  trm_model *model = trm_model_load_as(f->path, overrides, space, NULL, NULL);
  if (!model) return c;
  c.load = now(CLOCK_PROCESS_CPUTIME_ID) - start;
  trm_settings settings = *trm_model_settings(model);
  settings.integrator = "rk4";
  settings.threads = 1;
  start = now(CLOCK_PROCESS_CPUTIME_ID);
  trm_simulation *sim = trm_simulation_create(model, &settings, NULL, NULL);
  c.create = now(CLOCK_PROCESS_CPUTIME_ID) - start;
  if (sim) c.step = time_steps(sim, c.bodies);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  c.kilobytes = (double)usage.ru_maxrss;
  trm_simulation_destroy(sim);
  if (c.bodies >= 1000 && c.bodies <= 50000) c.speedup = time_threads(model, settings, c.bodies);
  trm_model_destroy(model);
  return c;
}

/* In a process of its own, so that each size has its own peak. */
static cost measure_apart(const family *f, int size, trm_space space) {
  int ends[2];
  cost c = {.step = NAN};
  fflush(stdout);
  if (pipe(ends) != 0) return c;
  pid_t child = fork();
  if (child == 0) {
    c = measure(f, size, space);
    _exit(write(ends[1], &c, sizeof c) == (ssize_t)sizeof c ? 0 : 1);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &c, sizeof c) != (ssize_t)sizeof c) c.step = NAN;
  close(ends[0]);
  if (child > 0) waitpid(child, NULL, 0);
  return c;
}

/* The slope of log step against log bodies, by least squares. */
static double exponent(int count, const cost *costs) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; i++) {
    double a = log(costs[i].bodies), b = log(costs[i].step);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

static void scale(const family *f, trm_space space, int largest) {
  static const int sizes[] = {100, 300, 1000, 3000, 10000, 25000, 50000, 100000};
  cost costs[8];
  int count = 0;
  for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++) {
    int size = sizes[k];
    if (size > f->largest || size > largest) break;
    cost c = costs[count++] = measure_apart(f, size, space);
    printf("%-11s %-8s %7d %8.3f %8.3f %11.0f %9.0f %8.2f", f->name,
           space == TRM_PLANAR ? "planar" : "spatial", size, c.load, c.create, 1e6 * c.step,
           1e9 * c.step / c.bodies, c.kilobytes / c.bodies);
    if (c.speedup > 0) printf(" %9.2f", c.speedup);
    printf("\n");
  }
  printf("%-11s %-8s exponent %.3f\n\n", f->name, space == TRM_PLANAR ? "planar" : "spatial",
         exponent(count, costs));
}

/* A chain with every body and joint written out, as another program would. */
static bool write_out(FILE *file, int size) {
  fprintf(file, "trammel: 1\nname: Written out\nspace: planar\nbodies:\n");
  for (int i = 0; i < size; i++)
    fprintf(file,
            "  rod%d:\n    mass: 1\n    inertia: 0.0833333333333333\n    com: [0.5, 0]\n"
            "    position: [%d, 0]\n    points: {A: [0, 0], B: [1, 0]}\n",
            i, i);
  fprintf(file, "joints:\n  hinge0: {type: revolute, connect: [ground, rod0.A], at: [0, 0]}\n");
  for (int i = 1; i < size; i++)
    fprintf(file, "  hinge%d: {type: revolute, connect: [rod%d.B, rod%d.A]}\n", i, i - 1, i);
  fprintf(file, "simulate: {duration: 1, step: 1e-3}\n");
  return fclose(file) == 0;
}

static void time_loading(int size) {
  char path[] = "/tmp/written-XXXXXX";
  int handle = mkstemp(path);
  FILE *file = handle >= 0 ? fdopen(handle, "w") : NULL;
  double start = NAN;
  if (file && write_out(file, size)) {
    start = now(CLOCK_PROCESS_CPUTIME_ID);
    trm_model_destroy(trm_model_load(path, NULL, NULL, NULL));
  }
  printf("%-11s %-8s %7d %8.3f\n", "written out", "planar", size,
         now(CLOCK_PROCESS_CPUTIME_ID) - start);
  if (handle >= 0) unlink(path);
}

/* scaling [LARGEST] */
int main(int count, char **words) {
  const family families[] = {{"chain", "models/chain.yaml", 1, 0, 100000},
                             {"n_four_bar", "models/n_four_bar.yaml", 2, 1, 50000}};
  int largest = count > 1 ? atoi(words[1]) : 100000;
  printf("RK4, h = 1e-3, CPU time of one thread; how much faster two are by the wall clock\n"
         "%-11s %-8s %7s %8s %8s %11s %9s %8s %9s\n",
         "model", "space", "N", "load s", "create s", "us/step", "ns/body", "kB/body", "2 threads");
  for (int f = 0; f < 2; f++) {
    scale(&families[f], TRM_PLANAR, largest);
    scale(&families[f], TRM_SPATIAL, largest);
  }
  time_loading(largest);
  return 0;
}

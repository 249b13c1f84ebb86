/* What recording costs: a row every ten steps, kept and written as text or as HDF5, against a run
 * that keeps none; and what it costs to have rows on the disk while the run goes on, against all at
 * the end; the fastest of runs taken in turn. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <trammel/trammel.h>

#include "../tests/extremes.h"

enum { ROUNDS = 25 };
static const double most = 10, most_streamed = 5; /* % */

/* Of this thread: those of the matrix library wait by spinning. */
static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double cpu_seconds(void) {
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static trm_simulation *create(const trm_model *model) {
  trm_settings settings = *trm_model_settings(model);
  double step = settings.step > 0 ? settings.step : 1e-3;
  settings.duration = 20000 * step;
  settings.output_step = 10 * step;
  return trm_simulation_create(model, &settings, NULL, NULL);
}

/* Seconds of the run alone; NaN where it fails. */
static double run_once(const trm_model *model, trm_results *results) {
  trm_simulation *sim = create(model);
  double start = cpu_seconds();
  bool good = sim && trm_simulation_run(sim, results, NULL, NULL, NULL) == TRM_OK;
  double seconds = cpu_seconds() - start;
  trm_simulation_destroy(sim);
  return good ? seconds : NAN;
}

static double write_once(const trm_results *results,
                         trm_status (*write)(const trm_results *, const char *,
                                             trm_diagnostics *)) {
  double start = cpu_seconds();
  return write(results, "/dev/null", NULL) == TRM_OK ? cpu_seconds() - start : NAN;
}

/* Rows to a file while it runs, or at its end: of all threads, with one of the matrix library. */
static double file_once(const trm_model *model, const char *format, bool streams) {
  static const char path[] = "recording.tmp";
  trm_results *results = trm_results_create();
  trm_simulation *sim = create(model);
  double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  bool good = sim && results, hdf5 = strcmp(format, "hdf5") == 0;
  if (good && streams) good = trm_results_stream(results, path, format, NULL) == TRM_OK;
  good = good && trm_simulation_run(sim, results, NULL, NULL, NULL) == TRM_OK;
  if (good && streams)
    good = trm_results_publish(results, NULL) == TRM_OK;
  else if (good)
    good = (hdf5 ? trm_results_write_hdf5 : trm_results_write_csv)(results, path, NULL) == TRM_OK;
  double seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
  trm_simulation_destroy(sim);
  trm_results_destroy(results);
  remove(path);
  return good ? seconds : NAN;
}

static bool measure_streams(const trm_model *model) {
  static const char *const formats[] = {"csv", "hdf5"};
  bool good = true;
  for (int k = 0; k < 2; k++) {
    double ratio[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      double after = file_once(model, formats[k], false);
      ratio[i] = file_once(model, formats[k], true) / after;
      for (int j = i; j > 0 && !(ratio[j] >= ratio[j - 1]); j--) {
        double before = ratio[j - 1];
        ratio[j - 1] = ratio[j];
        ratio[j] = before;
      }
    }
    double more = 100 * (ratio[ROUNDS / 2] - 1);
    printf("%28s streamed as %s %+.1f %%, median of %d%s\n", "", formats[k], more, (int)ROUNDS,
           more <= most_streamed ? "" : "  more than 5 %");
    good &= more <= most_streamed;
  }
  return good;
}

static bool measure(const trm_model *model, const char *name) {
  double plain = INFINITY, kept = INFINITY, csv = INFINITY, hdf5 = INFINITY;
  trm_results *results = trm_results_create();
  for (int i = 0; results && i < ROUNDS; i++) {
    plain = smaller(plain, run_once(model, NULL));
    kept = smaller(kept, run_once(model, results));
    csv = smaller(csv, write_once(results, trm_results_write_csv));
    hdf5 = smaller(hdf5, write_once(results, trm_results_write_hdf5));
  }
  double more = 100 * (kept / plain - 1), text = more + 100 * csv / plain;
  double binary = more + 100 * hdf5 / plain;
  printf("%-28s %7d %9.1f %9.1f %9.1f %9.1f %+9.1f %% %+9.1f %% %+9.1f %%%s\n", name,
         results ? trm_results_columns(results) : 0, 1e3 * plain, 1e3 * (kept - plain), 1e3 * csv,
         1e3 * hdf5, more, text, binary, more <= most ? "" : "  more than 10 %");
  trm_results_destroy(results);
  return more <= most;
}

int main(int count, char **paths) {
  bool good = count > 1;
  printf("20000 steps, a row every 10: ms\n%-28s %7s %9s %9s %9s %9s %11s %11s %11s\n", "model",
         "columns", "run", "rows", "csv", "hdf5", "rows", "with csv", "with hdf5");
  for (int i = 1; i < count; i++) {
    trm_model *model = trm_model_load(paths[i], NULL, NULL, NULL);
    if (model) good &= measure(model, paths[i]) & measure_streams(model);
    good &= model != NULL;
    trm_model_destroy(model);
  }
  return good ? 0 : 1;
}

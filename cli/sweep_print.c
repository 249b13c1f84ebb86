/* What a study says, as text. */
#include "sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH = 28 };

static void print_statistics(const trm_sweep *study) {
  for (int i = 0; i < trm_sweep_records(study); i++) {
    trm_sweep_statistic said = trm_sweep_get_statistic(study, i);
    if (i == 0)
      printf("  %-*s %12s %24s %12s %12s %12s\n", WIDTH, "record", "mean", "95 % confidence", "sd",
             "min", "max");
    char interval[64] = "";
    if (!isnan(said.mean_low))
      snprintf(interval, sizeof interval, "%.6g .. %.6g", said.mean_low, said.mean_high);
    printf("  %-*s %12.6g %24s %12.4g %12.6g %12.6g\n", WIDTH, said.record, said.mean, interval,
           said.sd, said.least, said.most);
  }
}

static void print_shares(const trm_sweep *study) {
  for (int i = 0; i < trm_sweep_limits(study); i++) {
    trm_sweep_share said = trm_sweep_get_share(study, i);
    printf("  %-*s %.2f %% pass", WIDTH, said.limit, 100 * said.share);
    if (!isnan(said.low))
      printf(" (%.2f .. %.2f %% with 95 %% confidence)", 100 * said.low, 100 * said.high);
    putchar('\n');
  }
}

/* Indices where the design has them, else correlations. */
static void print_influences(const trm_sweep *study) {
  for (int i = 0; i < trm_sweep_records(study); i++) {
    const char *record = trm_sweep_get_statistic(study, i).record;
    bool sobol = !isnan(trm_sweep_get_influence(study, i, 0).first);
    printf("  %s of %s\n", sobol ? "Sobol indices, first and total," : "correlation", record);
    for (int k = 0; k < trm_sweep_parameters(study); k++) {
      trm_sweep_influence said = trm_sweep_get_influence(study, i, k);
      if (sobol)
        printf("    %-*s %8.4f (%.4f .. %.4f) %8.4f (%.4f .. %.4f)\n", WIDTH - 2,
               trm_sweep_parameter(study, k), said.first, said.first_low, said.first_high,
               said.total, said.total_low, said.total_high);
      else
        printf("    %-*s %8.4f\n", WIDTH - 2, trm_sweep_parameter(study, k), said.correlation);
    }
  }
}

void trm_cli_print_study(const trm_sweep *study, const char *folder, bool series, bool page) {
  uint64_t present = trm_sweep_present(study), completed = trm_sweep_completed(study);
  printf("%" PRIu64 " of %" PRIu64 " runs", present, trm_sweep_runs(study));
  if (completed < present) printf(", %" PRIu64 " not completed", present - completed);
  putchar('\n');
  print_statistics(study);
  print_shares(study);
  print_influences(study);
  printf("  %-*s %s/sweep.csv%s\n", WIDTH, "table", folder,
         trm_results_has_hdf5() ? ", sweep.h5" : "");
  if (series) printf("  %-*s %s/series.csv, series/*.h5\n", WIDTH, "series", folder);
  printf("  %-*s %s/sweep.json\n", WIDTH, "summary", folder);
  if (page) printf("  %-*s %s/sweep.html\n", WIDTH, "report", folder);
}

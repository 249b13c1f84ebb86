/* Checkpoints: the head of one, changed, in front of what it was written with; a checksum that fits
 * lets it in. It is refused, or the run goes on to its end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/trammel.h>
#include <zlib.h>

#include "fuzz.h"

enum { HEAD = 152, SUM = 40, SUMMED = 48, LONGEST = 1 << 16 };

static const char text[] =
    "trammel: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {b: {mass: 1, inertia: 0.1, position: "
    "[1, 0]}}\njoints: {j: {type: revolute, connect: [ground, b], at: [0, 0]}}\nsimulate: "
    "{duration: 0.1, step: 1e-2, integrator: ab2}\n";

static trm_model *model;
static unsigned char good[LONGEST];
static size_t good_size;
static const char *folder;
static char table[100], newest[100];

static void need(int condition) {
  if (!condition) abort();
}

static void begin(trm_simulation **sim, trm_results **results) {
  *sim = trm_simulation_create(model, NULL, NULL, NULL);
  *results = trm_results_create();
  need(*sim && *results);
  trm_simulation_keep_marks(*sim);
  need(trm_results_stream(*results, table, "csv", NULL) == TRM_OK);
  need(trm_simulation_keep_checkpoints(*sim, folder, 1e9, NULL) == TRM_OK);
}

static bool stop_half_way(void *context, double time, double fraction) {
  (void)context, (void)time;
  return fraction < 0.5;
}

static void end(trm_simulation *sim, trm_results *results) {
  trm_results_destroy(results);
  trm_simulation_destroy(sim);
}

static void set_up(void) {
  trm_simulation *sim;
  trm_results *results;
  folder = fuzz_folder();
  snprintf(table, sizeof table, "%s/table.csv", folder);
  snprintf(newest, sizeof newest, "%s/1", folder);
  model = trm_model_load_text(text, "fuzz.yaml", NULL, NULL, NULL);
  need(model != NULL);
  begin(&sim, &results);
  trm_simulation_run(sim, results, stop_half_way, NULL, NULL);
  end(sim, results);
  FILE *file = fopen(newest, "rb");
  need(file != NULL);
  good_size = fread(good, 1, sizeof good, file);
  fclose(file);
  need(good_size > HEAD && good_size < sizeof good);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static unsigned char now[LONGEST];
  trm_simulation *sim;
  trm_results *results;
  double time;
  if (!model) set_up();
  memcpy(now, good, good_size);
  for (size_t i = 0; i + 1 < size && i < 64; i += 2) now[data[i] % HEAD] ^= data[i + 1];
  uint32_t sum = (uint32_t)crc32_z(0, now + SUMMED, good_size - SUMMED);
  memcpy(now + SUM, &sum, sizeof sum);
  FILE *file = fopen(newest, "wb");
  need(file && fwrite(now, 1, good_size, file) == good_size && fclose(file) == 0);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  begin(&sim, &results);
  trm_status status = trm_simulation_resume(sim, results, folder, &time, diagnostics);
  fuzz_check(diagnostics, status == TRM_OK);
  if (status == TRM_OK) {
    status = trm_simulation_run(sim, results, NULL, NULL, diagnostics);
    fuzz_check(diagnostics, status == TRM_OK);
  }
  end(sim, results);
  trm_diagnostics_destroy(diagnostics);
  return 0;
}

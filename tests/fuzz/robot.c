/* Robots of other people's files, and the meshes that they name. A model that is written can be
 * read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/import.h>
#include <trammel/model.h>

#include "fuzz.h"

/* shows what stands in the file behind it */
static const char holder[] =
    "<robot name='r'><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
    "</inertial><visual><geometry><mesh filename='%s'/></geometry></visual></link>"
    "<link name='w'/><joint name='j' type='continuous'><parent link='w'/><child link='b'/></joint>"
    "</robot>";

static const char *write_file(char path[100], const char *name, const void *data, size_t size) {
  snprintf(path, 100, "%s/%s", fuzz_folder(), name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
  return path;
}

static void import(const char *path) {
  char written[100];
  write_file(written, "model.yaml", "", 0);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_import_options options = trm_default_import_options();
  options.balance_inertia = true; /* else a model that cannot be is written with a warning */
  trm_status status = trm_import(path, &options, written, diagnostics);
  fuzz_check(diagnostics, status == TRM_OK);
  trm_diagnostics_clear(diagnostics);
  trm_model *model = status == TRM_OK ? trm_model_load(written, NULL, diagnostics, NULL) : NULL;
  if (status == TRM_OK && !model) {
    char text[2000];
    trm_diagnostic_format(trm_diagnostics_get(diagnostics, 0), text, sizeof text);
    fprintf(stderr, "the model that was written is refused: %s\n", text);
    abort();
  }
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char text[1000], path[100];
  const char *mesh = NULL;
  if (size > 8 && memcmp(data, "<COLLADA", 8) == 0) mesh = "m.dae";
  if (size > 1 && (data[0] == 'v' || data[0] == '#')) mesh = "m.obj";
  if (size > 4 && data[3] == '\0') mesh = "m.msh"; /* it begins with small counts */
  write_file(path, mesh ? mesh : "robot.xml", data, size);
  if (mesh) {
    int length = snprintf(text, sizeof text, holder, path);
    write_file(path, "holder.xml", text, (size_t)length);
  }
  import(path);
  return 0;
}

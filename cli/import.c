/* trammel import: a robot's file becomes a model. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 4096 };

static int write_model(const trm_cli_arguments *arguments, const trm_import_options *options) {
  char stem[256], path[LONGEST_PATH];
  const char *output = trm_cli_value(arguments, "output");
  if (!output && !trm_cli_stem(arguments->models[0], stem, sizeof stem)) return 1;
  snprintf(path, sizeof path, "%s%s", output ? output : stem, output ? "" : ".yaml");
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status = trm_import(arguments->models[0], options, path, diagnostics);
  if (status != TRM_OK && trm_diagnostics_errors(diagnostics) == 0)
    trm_cli_error("out of memory"); /* not even for the message */
  trm_cli_print_diagnostics(diagnostics, false);
  if (status == TRM_OK) printf("%s\n", path);
  trm_diagnostics_destroy(diagnostics);
  return trm_cli_exit_status(status);
}

static int import_command(const trm_cli_arguments *arguments) {
  trm_import_options options = trm_default_import_options();
  int count = trm_cli_values(arguments, "packages", NULL);
  const char **packages = calloc((size_t)count + 1, sizeof *packages);
  if (!packages) {
    trm_cli_error("out of memory");
    return 1;
  }
  trm_cli_values(arguments, "packages", packages);
  options.packages = packages;
  options.floating = trm_cli_given(arguments, "floating");
  options.balance_inertia = trm_cli_given(arguments, "balance-inertia");
  options.meshes = !trm_cli_given(arguments, "no-meshes");
  int code = write_model(arguments, &options);
  free(packages);
  return code;
}

static const trm_cli_option options[] = {
    {"output", 'o', "FILE", "the model to write (default: <robot's stem>.yaml)"},
    {"floating", 0, NULL, "URDF: the base is free (default: fixed to the ground)"},
    {"balance-inertia", 0, NULL, "impossible inertias become possible: each moment their mean"},
    {"packages", 0, "DIR", "where package://NAME/ is looked for; may be given several times"},
    {"no-meshes", 0, NULL, "write no shapes beside the model"},
    {0}};

const trm_cli_command trm_cli_import = {
    .name = "import",
    .usage = "FILE.urdf|FILE.xml|FILE.sdf [-o MODEL.yaml] [--floating] "
             "[--balance-inertia] [--packages DIR ...]",
    .summary = "make a model of a robot's file, URDF, MJCF or SDF",
    .notes =
        "What could not be taken over is listed by name and line, here and at the head of the\n"
        "model. Shapes are written to <model's stem>_meshes/ beside the model.\n\n"
        "exit status: 0 written; 1 it could not be; 2 wrong usage; 3 bad robot file\n",
    .options = options,
    .input = "robot file",
    .least_models = 1,
    .most_models = 1,
    .run = import_command};

/* trammel fmu: a model as a functional mock-up unit. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096, MOST_SETTINGS = 64 };

/* The library that every FMU holds: beside the program, or where it is installed. */
static bool find_binary(char *path, size_t size) {
  static const char *const places[] = {"libtrammel_fmu.so", "../lib/trammel/libtrammel_fmu.so",
                                       "../lib64/trammel/libtrammel_fmu.so",
                                       "../lib/x86_64-linux-gnu/trammel/libtrammel_fmu.so",
                                       "../lib/aarch64-linux-gnu/trammel/libtrammel_fmu.so"};
  char program[LONGEST_PATH];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return false;
  program[length] = '\0';
  char *slash = strrchr(program, '/');
  if (slash) *slash = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (snprintf(path, size, "%s/%s", program, places[i]) < (int)size && access(path, R_OK) == 0)
      return true;
  return false;
}

static int read_choices(const trm_cli_arguments *arguments, trm_fmu_options *options) {
  const char *version = trm_cli_value(arguments, "fmi"), *kind = trm_cli_value(arguments, "kind");
  if (version) {
    options->version = strcmp(version, "3") == 0 ? 3 : 2;
    if (strcmp(version, "2") != 0 && strcmp(version, "3") != 0) {
      trm_cli_error("--fmi: it must be 2 or 3, not '%s'", version);
      return 2;
    }
  }
  if (!kind) return 0;
  options->co_simulation = strcmp(kind, "me") != 0;
  options->model_exchange = strcmp(kind, "cs") != 0;
  if (strcmp(kind, "me") == 0 || strcmp(kind, "cs") == 0 || strcmp(kind, "both") == 0) return 0;
  trm_cli_error("--kind: it must be cs, me or both, not '%s'", kind);
  return 2;
}

/* Keys of `simulate:` that were given as options. */
static bool list_settings(const trm_cli_arguments *arguments, char **list) {
  int count = 0;
  for (int k = 0; k < trm_key_count() && count < MOST_SETTINGS; k++) {
    const char *key = trm_key_get(k)->name, *value = trm_cli_value(arguments, key);
    if (!value) continue;
    size_t room = strlen(key) + strlen(value) + 2;
    list[count] = malloc(room);
    if (!list[count]) return false;
    snprintf(list[count++], room, "%s=%s", key, value);
  }
  return true;
}

static int write_fmu(const trm_cli_arguments *arguments, const trm_fmu_options *options,
                     trm_diagnostics *diagnostics) {
  char stem[256], path[LONGEST_PATH];
  const char *output = trm_cli_value(arguments, "output");
  if (!output && !trm_cli_stem(arguments->models[0], stem, sizeof stem)) return 1;
  snprintf(path, sizeof path, "%s%s", output ? output : stem, output ? "" : ".fmu");
  trm_status status =
      trm_fmu_write(arguments->models[0], arguments->sets, options, path, diagnostics);
  trm_cli_print_diagnostics(diagnostics, false);
  if (status == TRM_OK) printf("%s\n", path);
  return trm_cli_exit_status(status);
}

static int fmu_command(const trm_cli_arguments *arguments) {
  trm_fmu_options options = trm_default_fmu_options();
  int code = read_choices(arguments, &options);
  if (code != 0) return code;
  char binary[LONGEST_PATH];
  if (!trm_fmu_can_write() || !find_binary(binary, sizeof binary)) {
    trm_cli_error("this program was built without FMUs: install minizip and static libraries "
                  "(scripts/setup build) and build again");
    return 1;
  }
  options.binary = binary;
  char *settings[MOST_SETTINGS + 1] = {0};
  options.settings = (const char *const *)settings;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  bool listed = diagnostics && list_settings(arguments, settings);
  if (!listed) trm_cli_error("out of memory");
  code = listed ? trm_cli_check_options(arguments, diagnostics) : 1;
  if (code == 0) code = write_fmu(arguments, &options, diagnostics);
  for (int i = 0; settings[i]; i++) free(settings[i]);
  trm_diagnostics_destroy(diagnostics);
  return code;
}

static const trm_cli_option options[] = {
    {"output", 'o', "FILE", "the file to write (default: <model stem>.fmu)"},
    {"fmi", 0, "VERSION", "2 or 3, the version of the standard (default: 2)"},
    {"kind", 0, "KIND", "cs, me or both: co-simulation, model exchange or both (default: both)"},
    {0}};

const trm_cli_command trm_cli_fmu = {
    .name = "fmu",
    .usage = "MODEL [-o NAME.fmu] [--fmi 2|3] [--kind cs|me|both] [--set NAME=VALUE ...]",
    .summary = "write a model as a functional mock-up unit for other tools",
    .notes =
        "The model's inputs are inputs of the FMU, the columns of its results are outputs, its\n"
        "parameters can be set before the start. For co-simulation the FMU brings the integrator\n"
        "that the model or the options choose; for model exchange the tool integrates. The\n"
        "binary runs on Linux and needs nothing but the C library.\n\n"
        "exit status: 0 written; 1 it could not be; 2 wrong usage; 3 bad model\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = 1,
    .run = fmu_command};

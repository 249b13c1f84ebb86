/* From the command line to a model and its settings. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

int trm_cli_exit_status(trm_status status) {
  switch (status) {
  case TRM_OK: return 0;
  case TRM_BAD_USAGE: return 2;
  case TRM_BAD_MODEL: return 3;
  default: return 1;
  }
}

/* What the library calls simulate/step is --step here. */
void trm_cli_print_option_errors(trm_diagnostics *diagnostics) {
  static const char key[] = "simulate/";
  for (int k = 0; k < trm_diagnostics_count(diagnostics); k++) {
    const char *message = trm_diagnostics_get(diagnostics, k)->message;
    bool option = strncmp(message, key, strlen(key)) == 0;
    trm_cli_error("%s%s", option ? "--" : "", option ? message + strlen(key) : message);
  }
  trm_diagnostics_clear(diagnostics);
}

static bool is_list(const trm_cli_command *command, const char *key) {
  for (int k = 0; command->lists && command->lists[k]; k++)
    if (strcmp(command->lists[k], key) == 0) return true;
  return false;
}

static trm_status apply_options(const trm_cli_arguments *arguments, trm_settings *settings,
                                trm_diagnostics *diagnostics) {
  trm_status status = TRM_OK;
  for (int k = 0; k < trm_key_count(); k++) {
    const char *key = trm_key_get(k)->name;
    const char *value = trm_cli_value(arguments, key);
    if (!value || is_list(arguments->command, key) || trm_cli_owns(arguments->command, key))
      continue;
    trm_status one = trm_settings_set(settings, key, value, diagnostics);
    if (one != TRM_OK) status = one;
  }
  return status;
}

/* --space, where the command has it: a planar model runs in space, too. */
static bool read_space(const trm_cli_arguments *arguments, const char **name, trm_space *space) {
  *name = trm_cli_value(arguments, "space");
  if (!*name) return true;
  *space = strcmp(*name, "spatial") == 0 ? TRM_SPATIAL : TRM_PLANAR;
  if (*space == TRM_SPATIAL || strcmp(*name, "planar") == 0) return true;
  trm_cli_error("--space takes planar or spatial, not '%s'", *name);
  return false;
}

/* All of standard input; NULL, and said why, where that fails. */
static char *read_input(void) {
  size_t length = 0, room = 1 << 16;
  char *text = malloc(room);
  while (text) {
    length += fread(text + length, 1, room - length - 1, stdin);
    if (length < room - 1) break;
    char *grown = realloc(text, room *= 2);
    if (!grown) free(text);
    text = grown;
  }
  if (!text) trm_cli_error("out of memory");
  if (!text) return NULL;
  text[length] = 0;
  bool good = !ferror(stdin) && strlen(text) == length;
  if (good) return text;
  trm_cli_error(ferror(stdin) ? "cannot read standard input" : "standard input is no text");
  free(text);
  return NULL;
}

static trm_model *load_input(const trm_cli_arguments *arguments, trm_diagnostics *diagnostics,
                             trm_status *status) {
  char *text = read_input();
  *status = TRM_IO_ERROR;
  if (!text) return NULL;
  trm_model *model =
      trm_model_load_text(text, "standard input", arguments->sets, diagnostics, status);
  free(text);
  return model;
}

int trm_cli_check_options(const trm_cli_arguments *arguments, trm_diagnostics *diagnostics) {
  trm_settings settings = trm_default_settings();
  trm_status status = apply_options(arguments, &settings, diagnostics);
  if (status != TRM_OK) trm_cli_print_option_errors(diagnostics);
  return trm_cli_exit_status(status);
}

int trm_cli_load(const trm_cli_arguments *arguments, const char *path, trm_model **model,
                 trm_settings *settings, trm_diagnostics *diagnostics) {
  *settings = trm_default_settings();
  int code = trm_cli_check_options(arguments, diagnostics);
  if (code != 0) return code;
  const char *given;
  trm_space space;
  if (!read_space(arguments, &given, &space)) return 2;
  trm_status status = TRM_OK;
  bool input = strcmp(path, "-") == 0;
  if (input && given) {
    trm_cli_error("--space needs a model file, not standard input");
    return 2;
  }
  *model = input   ? load_input(arguments, diagnostics, &status)
           : given ? trm_model_load_as(path, arguments->sets, space, diagnostics, &status)
                   : trm_model_load(path, arguments->sets, diagnostics, &status);
  /* a file that cannot be read is a bad model, too */
  if (!*model) return status == TRM_IO_ERROR ? 3 : trm_cli_exit_status(status);
  *settings = *trm_model_settings(*model);
  status = apply_options(arguments, settings, diagnostics);
  /* runs at a time, one thread each */
  if (trm_cli_owns(arguments->command, "threads")) settings->threads = 1;
  if (status == TRM_OK) status = trm_settings_check(settings, diagnostics);
  return trm_cli_exit_status(status);
}

int trm_cli_refuse_coordinates(const trm_cli_arguments *arguments, const trm_model *model) {
  if (!trm_model_is_system(model) || !trm_cli_given(arguments, "coordinates")) return 0;
  trm_cli_error("--coordinates: the model is a system with coordinates of its own");
  return 2;
}

void trm_cli_take_bodies(trm_settings *settings) {
  if (strcmp(settings->coordinates, "auto") == 0)
    trm_settings_set(settings, "coordinates", "natural", NULL);
}

/* trammel models: the shipped models, listed or copied to begin with. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096 };

/* What stands behind `name:` at the beginning of a line. */
static void print_title(const char *path) {
  char line[256];
  FILE *file = fopen(path, "r");
  bool found = false;
  while (file && !found && fgets(line, sizeof line, file)) found = strncmp(line, "name:", 5) == 0;
  if (file) fclose(file);
  if (!found) strcpy(line, "name:\n");
  line[strcspn(line, "\r\n")] = 0;
  puts(line + 5 + strspn(line + 5, " \t"));
}

static int list(char *const *paths, int count) {
  char stem[256];
  for (int k = 0; k < count; k++) {
    if (!trm_cli_stem(paths[k], stem, sizeof stem)) continue;
    printf("%-28s ", stem);
    print_title(paths[k]);
  }
  return 0;
}

static const char *find(char *const *paths, int count, const char *name) {
  char stem[256], wanted[256];
  if (!trm_cli_stem(name, wanted, sizeof wanted)) return NULL;
  for (int k = 0; k < count; k++)
    if (trm_cli_stem(paths[k], stem, sizeof stem) && strcmp(stem, wanted) == 0) return paths[k];
  char **stems = calloc((size_t)count + 1, sizeof *stems);
  for (int k = 0; stems && k < count; k++)
    if (trm_cli_stem(paths[k], stem, sizeof stem)) stems[k] = strdup(stem);
  const char *nearest = stems ? trm_cli_nearest(wanted, (const char *const *)stems, count) : NULL;
  trm_cli_error("no shipped model is called '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
                nearest ? nearest : "; 'trammel models' lists them", nearest ? "'?" : "");
  for (int k = 0; stems && k < count; k++) free(stems[k]);
  free(stems);
  return NULL;
}

static bool copy_bytes(FILE *from, FILE *to) {
  char buffer[1 << 14];
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, from)) > 0;)
    if (fwrite(buffer, 1, got, to) != got) return false;
  return !ferror(from);
}

/* What stands there is never replaced: it may have been changed. */
static bool copy_file(const char *from, const char *to) {
  FILE *source = fopen(from, "rb");
  FILE *target = source ? fopen(to, "wbx") : NULL;
  bool good = target && copy_bytes(source, target);
  int error = errno;
  if (target && fclose(target) != 0) good = false;
  if (source) fclose(source);
  if (!good) trm_cli_error("cannot copy '%s' to '%s': %s", from, to, strerror(error));
  if (good) puts(to);
  return good;
}

/* A file of the model, at the same place beside it. */
static bool copy_beside(const char *file, size_t folder, const char *to) {
  char path[LONGEST_PATH], parent[LONGEST_PATH];
  if (snprintf(path, sizeof path, "%s/%s", to, file + folder) >= (int)sizeof path) return false;
  snprintf(parent, sizeof parent, "%s", path);
  *strrchr(parent, '/') = 0;
  if (access(path, F_OK) == 0 && strchr(file + folder, '/')) return true; /* shared by models */
  return trm_cli_make_folder(parent) && copy_file(file, path);
}

/* With its tables, parts, tires and reference. */
static int copy_model(const char *path, const char *to) {
  size_t folder = (size_t)(strrchr(path, '/') + 1 - path);
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status = TRM_NO_MEMORY;
  trm_model *model = diagnostics ? trm_model_load(path, NULL, diagnostics, &status) : NULL;
  if (diagnostics)
    trm_cli_print_diagnostics(diagnostics, true);
  else
    trm_cli_error("out of memory");
  bool good = model && copy_beside(path, folder, to);
  const char *reference;
  double tolerance;
  for (int k = 0; good && k < trm_model_file_count(model); k++) {
    const char *file = trm_model_file(model, k);
    if (strcmp(file, path) != 0 && strncmp(file, path, folder) == 0)
      good = copy_beside(file, folder, to);
  }
  if (good && trm_model_reference(model, &reference, &tolerance) &&
      strncmp(reference, path, folder) == 0)
    good = copy_beside(reference, folder, to);
  trm_model_destroy(model);
  trm_diagnostics_destroy(diagnostics);
  return good ? 0 : 1;
}

static int models_command(const trm_cli_arguments *arguments) {
  const char *to = trm_cli_value(arguments, "output");
  int count, status = 0;
  char **paths = trm_cli_shipped_models(&count);
  if (!paths) return 1;
  if (arguments->model_count == 0) status = list(paths, count);
  for (int k = 0; status == 0 && k < arguments->model_count; k++) {
    const char *path = find(paths, count, arguments->models[k]);
    status = path ? copy_model(path, to ? to : ".") : 2;
  }
  trm_cli_free_paths(paths, count);
  return status;
}

static const trm_cli_option options[] = {{"output", 'o', "DIR", "where copies go; default: here"},
                                         {0}};

const trm_cli_command trm_cli_models = {
    .name = "models",
    .usage = "[NAME...] [-o DIR]",
    .summary = "list the shipped models, or copy some to begin with",
    .notes = "A copy brings the files along that the model names. A file that is there is not "
             "replaced.\n\n"
             "exit status: 0 done; 1 a file could not be copied; 2 no such model\n",
    .options = options,
    .input = "name of a model",
    .least_models = 0,
    .most_models = -1,
    .run = models_command};

/* Writes a model as an FMU: description, binary, and everything the model is read from. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/simulation.h>
#include <trammel/version.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "base/memory.h"
#include "base/mix.h"
#include "base/sized.h"
#include "fmu/archive.h"
#include "fmu/description.h"
#include "fmu/direct.h"
#include "model/model.h"

enum { LONGEST_PATH = 4096 };

static const trm_fmu_options usual = {sizeof(trm_fmu_options), 2, true, true, NULL, NULL};

void trm_fmu_options_init(trm_fmu_options *defaults, size_t size) {
  trm_sized_give(defaults, size, &usual, sizeof usual);
}

bool trm_fmu_can_write(void) {
  return trm_archive_available();
}

typedef struct exporter {
  trm_fmu_options options;
  const char *path;
  trm_diagnostics *diagnostics;
  trm_model *model;
  trm_settings settings;
  trm_simulation *simulation;
  trm_fmu_plan plan;
  double *parameters, *inputs;
  const trm_fmu_unit **units; /* [outputs] */
  bool *direct;               /* [outputs × inputs] */
  char **files;               /* [model's files.count] whole paths */
  size_t common;              /* bytes of the folder that all of them are in, with its slash */
  char identifier[128];
  char token[40];
} exporter;

static trm_status no_memory(exporter *x) {
  trm_report(x->diagnostics, TRM_ERROR, "out of memory");
  return TRM_NO_MEMORY;
}

/* ---- variables ---- */

/* A parameter that follows from others is none to be set: it moves with one of them. */
static bool *find_derived(exporter *x) {
  int count = x->model->parameter_count;
  bool *derived = calloc((size_t)count + 1, sizeof *derived);
  trm_diagnostics *ignored = trm_diagnostics_create();
  for (int i = 0; derived && ignored && i < count; i++) {
    const trm_parameter *p = &x->model->parameters[i];
    const double moved = p->value * 1.001 + 1e-6;
    trm_status status;
    trm_model *other = trm_model_with(x->model, 1, &p->name, &moved, ignored, &status);
    for (int k = 0; other && k < count && k < other->parameter_count; k++)
      if (k != i && other->parameters[k].value != x->model->parameters[k].value) derived[k] = true;
    trm_model_destroy(other);
    trm_diagnostics_clear(ignored);
  }
  if (!ignored) free(derived), derived = NULL;
  trm_diagnostics_destroy(ignored);
  return derived;
}

static bool has(const trm_fmu_names *list, const char *name) {
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->names[i], name) == 0) return true;
  return false;
}

static trm_status list_variables(exporter *x) {
  const trm_model *m = x->model;
  trm_fmu_plan *plan = &x->plan;
  bool *derived = find_derived(x);
  x->parameters = calloc((size_t)m->parameter_count + 1, sizeof(double));
  x->inputs = calloc((size_t)m->signal_count + 1, sizeof(double));
  x->units = calloc((size_t)m->output_count + 1, sizeof *x->units);
  bool good = derived && x->parameters && x->inputs && x->units;
  for (int i = 0; good && i < m->parameter_count; i++) {
    if (derived[i]) continue;
    x->parameters[plan->parameters.count] = m->parameters[i].value;
    good = trm_fmu_names_add(&plan->parameters, m->parameters[i].name);
  }
  free(derived);
  const char *name;
  for (int i = 0; good && (name = trm_model_input_name(m, i)); i++) {
    x->inputs[i] =
        trm_simulation_get(x->simulation, trm_simulation_find(x->simulation, name, x->diagnostics));
    good = trm_fmu_names_add(&plan->inputs, name);
  }
  int inputs = plan->inputs.count;
  x->direct = calloc((size_t)m->output_count * (size_t)inputs + 1, sizeof *x->direct);
  good = good && x->direct;
  for (int i = 0; good && i < m->output_count; i++) {
    name = m->outputs[i].name;
    bool taken = strcmp(name, "time") == 0 || has(&plan->parameters, name) ||
                 has(&plan->inputs, name) || has(&plan->outputs, name);
    if (taken) continue;
    x->units[plan->outputs.count] = trm_fmu_unit_of(m, &m->outputs[i]);
    good = trm_fmu_direct(m, &m->outputs[i],
                          x->direct + (size_t)plan->outputs.count * (size_t)inputs) &&
           trm_fmu_names_add(&plan->outputs, name);
  }
  plan->states = trm_simulation_state_size(x->simulation);
  plan->events = m->event_count;
  return good ? TRM_OK : no_memory(x);
}

/* ---- files ---- */

/* "/a/./b/../c" is "/a/c": links are kept, for files refer to each other as they are named. */
static char *whole_path(const char *path) {
  char folder[LONGEST_PATH] = "";
  if (*path != '/' && !getcwd(folder, sizeof folder)) return NULL;
  size_t room = strlen(folder) + strlen(path) + 3, used = 0;
  char *all = malloc(room), *out = malloc(room);
  if (all && out) {
    snprintf(all, room, "%s/%s", folder, path);
    for (char *save, *part = strtok_r(all, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
      if (strcmp(part, ".") == 0) continue;
      if (strcmp(part, "..") == 0) {
        while (used > 0 && out[--used] != '/') continue;
        continue;
      }
      used += (size_t)sprintf(out + used, "/%s", part);
    }
    out[used] = '\0';
  } else {
    free(out);
    out = NULL;
  }
  free(all);
  return out;
}

static trm_status gather_files(exporter *x) {
  int count = x->model->files.count;
  x->files = calloc((size_t)count + 1, sizeof *x->files);
  for (int i = 0; i < count; i++) {
    if (!x->files || !(x->files[i] = whole_path(x->model->files.paths[i]))) return no_memory(x);
    size_t same = 0;
    while (x->files[0][same] && x->files[0][same] == x->files[i][same]) same++;
    if (i == 0 || same < x->common) x->common = same;
  }
  while (x->common > 0 && x->files[0][x->common - 1] != '/') x->common--;
  x->plan.model = strdup(x->files[0] + x->common);
  return x->plan.model ? TRM_OK : no_memory(x);
}

/* A number of all that the FMU depends on: what its binary must be told at its start. */
static trm_status make_token(exporter *x) {
  uint64_t sum = trm_mix_texts(trm_model_mix(x->model), x->model->overrides);
  sum = trm_mix_text(sum, trm_version());
  for (int i = 0; i < x->plan.settings.count; i++)
    sum = trm_mix_text(sum, x->plan.settings.names[i]);
  snprintf(x->token, sizeof x->token, "{%016llx}", (unsigned long long)sum);
  x->plan.token = strdup(x->token);
  return x->plan.token ? TRM_OK : no_memory(x);
}

/* From the name of the archive, as C has names. */
static void make_identifier(exporter *x) {
  const char *slash = strrchr(x->path, '/'), *name = slash ? slash + 1 : x->path;
  size_t length = 0, room = sizeof x->identifier - 1;
  if (*name >= '0' && *name <= '9') x->identifier[length++] = '_';
  for (; *name && strcmp(name, ".fmu") != 0 && length < room; name++) {
    bool letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                  (*name >= '0' && *name <= '9');
    x->identifier[length++] = letter ? *name : '_';
  }
  if (length == 0) x->identifier[length++] = '_';
  x->identifier[length] = '\0';
}

/* ---- the archive ---- */

static void write_plan(const trm_fmu_plan *plan, FILE *file) {
  fprintf(file, "model files/%s\ntoken %s\n", plan->model, plan->token);
  const struct {
    const char *word;
    const trm_fmu_names *list;
  } lists[] = {{"set", &plan->sets},
               {"simulate", &plan->settings},
               {"parameter", &plan->parameters},
               {"input", &plan->inputs},
               {"output", &plan->outputs}};
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < lists[k].list->count; i++)
      fprintf(file, "%s %s\n", lists[k].word, lists[k].list->names[i]);
  fprintf(file, "states %d\nevents %d\n", plan->states, plan->events);
}

static bool add_plan(exporter *x, trm_archive *archive) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (!file) return false;
  write_plan(&x->plan, file);
  bool good = trm_memory_close(file, &text) &&
              trm_archive_add(archive, "resources/" TRM_FMU_PLAN, text, size);
  free(text);
  return good;
}

static bool add_description(exporter *x, trm_archive *archive) {
  trm_settings used = trm_settings_resolve(&x->settings);
  const trm_fmu_facts facts = {
      .plan = &x->plan,
      .options = &x->options,
      .name = *x->model->name ? x->model->name : x->identifier,
      .description = x->model->description,
      .identifier = x->identifier,
      .parameters = x->parameters,
      .inputs = x->inputs,
      .time = trm_fmu_unit_of(x->model, &(trm_measure){.kind = TRM_MEASURE_TIME}),
      .units = x->units,
      .direct = x->direct,
      .coordinates = trm_simulation_inspect(x->simulation).coordinates,
      .duration = x->settings.duration,
      .tolerance = used.rtol > 0 ? used.rtol : 1e-6,
  };
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (!file) return false;
  trm_fmu_describe(&facts, file);
  bool good =
      trm_memory_close(file, &text) && trm_archive_add(archive, "modelDescription.xml", text, size);
  free(text);
  return good;
}

static bool add_files(exporter *x, trm_archive *archive) {
  char name[LONGEST_PATH];
  bool good = true;
  for (int i = 0; good && i < x->model->files.count; i++) {
    snprintf(name, sizeof name, "resources/files/%s", x->files[i] + x->common);
    good = trm_archive_add_file(archive, name, x->files[i]);
  }
  return good;
}

static bool add_binary(exporter *x, trm_archive *archive) {
#if defined(__aarch64__)
  const char *folders[] = {"aarch64-linux", "aarch64-linux"};
#else
  const char *folders[] = {"linux64", "x86_64-linux"};
#endif
  char name[LONGEST_PATH];
  snprintf(name, sizeof name, "binaries/%s/%s.so", folders[x->options.version == 3], x->identifier);
  return trm_archive_add_file(archive, name, x->options.binary);
}

static trm_status pack(exporter *x) {
  trm_archive *archive = trm_archive_create(x->path);
  bool good = archive && add_description(x, archive) && add_plan(x, archive) &&
              add_files(x, archive) && add_binary(x, archive);
  int reason = errno;
  if (archive && trm_archive_close(archive, good)) return TRM_OK;
  trm_report(x->diagnostics, TRM_ERROR, "%s cannot be written: %s", x->path,
             strerror(reason ? reason : EIO));
  return TRM_IO_ERROR;
}

/* ---- all ---- */

/* A file of an input stays behind: the tool gives inputs. */
static trm_status refuse_input_files(exporter *x, const char *const *overrides) {
  for (int i = 0; overrides && overrides[i]; i++) {
    size_t length = strlen(overrides[i]);
    if (strncmp(overrides[i], "inputs.", 7) != 0 || length < 4 ||
        strcmp(overrides[i] + length - 4, ".csv") != 0)
      continue;
    trm_report(x->diagnostics, TRM_ERROR,
               "'%s': an FMU takes its inputs from the tool that it runs in, not from a file",
               overrides[i]);
    return TRM_BAD_USAGE;
  }
  return TRM_OK;
}

static trm_status take_lists(exporter *x, const char *const *overrides) {
  bool good = true;
  for (int i = 0; overrides && overrides[i] && good; i++)
    good = trm_fmu_names_add(&x->plan.sets, overrides[i]);
  for (int i = 0; x->options.settings && x->options.settings[i] && good; i++)
    good = trm_fmu_names_add(&x->plan.settings, x->options.settings[i]);
  return good ? TRM_OK : no_memory(x);
}

static trm_status apply_settings(exporter *x) {
  x->settings = *trm_model_settings(x->model);
  for (int i = 0; i < x->plan.settings.count; i++) {
    char key[64];
    const char *equals = strchr(x->plan.settings.names[i], '=');
    snprintf(key, sizeof key, "%.*s", equals ? (int)(equals - x->plan.settings.names[i]) : 0,
             x->plan.settings.names[i]);
    trm_status status =
        trm_settings_set(&x->settings, key, equals ? equals + 1 : "", x->diagnostics);
    if (status != TRM_OK) return status;
  }
  return trm_settings_check(&x->settings, x->diagnostics);
}

static trm_status check_options(exporter *x) {
  const trm_fmu_options *o = &x->options;
  const char *problem = o->version != 2 && o->version != 3        ? "the version of FMI is 2 or 3"
                        : !o->co_simulation && !o->model_exchange ? "an FMU is for co-simulation, "
                                                                    "model exchange or both"
                        : !o->binary                              ? "the binary of FMUs is missing"
                        : !trm_archive_available()
                            ? "this library was built without minizip; install it (Debian: "
                              "libminizip-dev) and build again"
                            : NULL;
  if (problem) trm_report(x->diagnostics, TRM_ERROR, "%s", problem);
  return problem ? TRM_BAD_USAGE : TRM_OK;
}

static trm_status export(exporter *x, const char *model, const char *const *overrides) {
  trm_status status = check_options(x);
  if (status == TRM_OK) status = refuse_input_files(x, overrides);
  if (status == TRM_OK) x->model = trm_model_load(model, overrides, x->diagnostics, &status);
  if (status == TRM_IO_ERROR) status = TRM_BAD_MODEL; /* no file of the FMU's */
  if (status == TRM_OK) status = take_lists(x, overrides);
  if (status == TRM_OK) status = apply_settings(x);
  if (status == TRM_OK)
    x->simulation = trm_simulation_create(x->model, &x->settings, x->diagnostics, &status);
  if (status == TRM_OK) status = list_variables(x);
  if (status == TRM_OK) status = gather_files(x);
  if (status == TRM_OK) status = make_token(x);
  make_identifier(x);
  return status == TRM_OK ? pack(x) : status;
}

trm_status trm_fmu_write(const char *model, const char *const *overrides,
                         const trm_fmu_options *options, const char *path,
                         trm_diagnostics *diagnostics) {
  exporter x = {.options = usual, .path = path, .diagnostics = diagnostics};
  if (!trm_sized_take_or_report(&x.options, sizeof x.options, options, "trm_default_fmu_options",
                                diagnostics))
    return TRM_BAD_USAGE;
  trm_status status = export(&x, model, overrides);
  for (int i = 0; x.files && i < x.model->files.count; i++) free(x.files[i]);
  free(x.files);
  free(x.parameters);
  free(x.inputs);
  free(x.units);
  free(x.direct);
  trm_fmu_plan_free(&x.plan);
  trm_simulation_destroy(x.simulation);
  trm_model_destroy(x.model);
  return status;
}

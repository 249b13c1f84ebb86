/* Reading a model file: its sections in order, then the builder. */
#include "model/build.h"
#include "model/read_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION "1"

enum { MECHANISM = 0, SYSTEM = 1 }; /* what a model is made of */
enum { BODIES = 1 << MECHANISM, OWN = 1 << SYSTEM, BOTH = BODIES | OWN };

static const trm_field fields[] = {
    {"trammel", NULL, BOTH, BOTH}, {"name", NULL, BOTH, 0},          {"description", NULL, BOTH, 0},
    {"space", NULL, BOTH, BODIES}, {"gravity", NULL, BODIES, 0},     {"parameters", NULL, BOTH, 0},
    {"ground", NULL, BODIES, 0},   {"bodies", NULL, BODIES, BODIES}, {"joints", NULL, BODIES, 0},
    {"forces", NULL, BODIES, 0},   {"system", NULL, BOTH, OWN},      {"initial", NULL, BOTH, 0},
    {"simulate", NULL, BOTH, 0},   {"outputs", NULL, BOTH, 0},       {"reference", NULL, BOTH, 0},
    {"plots", NULL, BOTH, 0},      {"metrics", NULL, BOTH, 0},       {"view", NULL, BODIES, 0},
};

static const char *kind_name(int kind) {
  static const char *const names[] = {"a model with 'bodies'", "a model with 'system'"};
  return kind == MECHANISM || kind == SYSTEM ? names[kind] : NULL;
}

static const trm_schema schema = {fields, sizeof fields / sizeof *fields, kind_name, ""};

static const trm_yaml_pair *section_of(const trm_reader *reader, const char *key) {
  return trm_yaml_get(reader->document.root, key, strlen(key));
}

/* False where reading on makes no sense: another format, or no model at all. */
static bool check_root(trm_reader *reader) {
  trm_yaml *root = reader->document.root;
  if (root->kind != TRM_YAML_MAP) {
    trm_read_error(reader, root, "expected a map that starts with 'trammel: 1', found %s",
                   trm_yaml_kind_name(root));
    return false;
  }
  const trm_yaml_pair *version = section_of(reader, "trammel");
  if (version && (version->value->kind != TRM_YAML_TEXT ||
                  strcmp(version->value->text, FORMAT_VERSION) != 0)) {
    reader->key = "trammel";
    trm_read_error(reader, version->value,
                   "the format version must be " FORMAT_VERSION ", found %.60s",
                   version->value->kind == TRM_YAML_TEXT ? version->value->text
                                                         : trm_yaml_kind_name(version->value));
    return false;
  }
  int kind = section_of(reader, "system") ? SYSTEM : MECHANISM;
  trm_read_fields(reader, &(trm_yaml_pair){root, root}, &schema, kind, NULL);
  return true;
}

static trm_space read_space(trm_reader *reader) {
  static const char *const spaces[] = {"planar", "spatial"};
  const trm_yaml_pair *pair = section_of(reader, "space");
  const char *text = NULL;
  char hint[100];
  reader->key = "space";
  if (pair && trm_read_text(reader, pair->value, "planar or spatial", &text) &&
      strcmp(text, "planar") != 0 && strcmp(text, "spatial") != 0) {
    trm_read_suggest(reader, text, spaces, 2, hint, sizeof hint);
    trm_read_error(reader, pair->value, "unknown space '%.60s'%s", text,
                   hint[0] ? hint : "; it is planar or spatial");
  }
  trm_space space = text && strcmp(text, "spatial") == 0 ? TRM_SPATIAL : TRM_PLANAR;
  if (space == TRM_SPATIAL && reader->wanted == TRM_PLANAR) {
    reader->wrong_usage = true;
    trm_read_error(reader, pair->value, "a spatial model has no planar form");
  }
  reader->key = NULL;
  return space;
}

static void read_names(trm_reader *reader) {
  static const char *const keys[] = {"name", "description"};
  const char *texts[2] = {"", ""};
  for (int i = 0; i < 2; i++) {
    const trm_yaml_pair *pair = section_of(reader, keys[i]);
    reader->key = keys[i];
    if (pair && pair->value->kind != TRM_YAML_NOTHING)
      trm_read_text(reader, pair->value, "a text", &texts[i]);
  }
  reader->key = NULL;
  trm_model_set_name(reader->model, texts[0], texts[1]);
}

static void read_gravity(trm_reader *reader) {
  const trm_yaml_pair *pair = section_of(reader, "gravity");
  double gravity[3] = {0, 0, 0};
  reader->key = "gravity";
  if (pair && trm_read_vector(reader, pair->value, reader->model->dim, gravity))
    trm_model_set_gravity(reader->model, gravity);
  reader->key = NULL;
}

static void read_initial(trm_reader *reader, trm_yaml *section) {
  reader->key = "initial";
  if (!trm_read_map(reader, section, "measures and values")) return;
  reader->kind = "initial";
  for (int i = 0; i < section->count; i++) {
    double value = 0;
    reader->key = section->pairs[i].key->text;
    trm_read_number(reader, section->pairs[i].value, &value);
    trm_model_add_initial(reader->model, section->pairs[i].key->text, value);
  }
  reader->kind = reader->key = NULL;
}

static void read_outputs(trm_reader *reader, trm_yaml *section) {
  reader->key = "outputs";
  if (section->kind != TRM_YAML_LIST && section->kind != TRM_YAML_NOTHING)
    trm_read_error(reader, section, "expected a list of measures, found %s",
                   trm_yaml_kind_name(section));
  for (int i = 0; section->kind == TRM_YAML_LIST && i < section->count; i++) {
    const char *text = "energy"; /* in the place of a wrong one: the builder counts places */
    trm_read_text(reader, section->items[i], "a measure", &text);
    trm_model_add_output(reader->model, text);
  }
  reader->key = NULL;
}

/* What a model is made of; parameters come first, and bodies before what names them. */
static void read_sections(trm_reader *reader) {
  enum { MECHANISM_SECTIONS = 3 };
  static const struct {
    const char *key;
    void (*read)(trm_reader *reader, trm_yaml *section);
  } sections[] = {{"bodies", trm_read_bodies},     {"joints", trm_read_joints},
                  {"forces", trm_read_forces},     {"initial", read_initial},
                  {"simulate", trm_read_simulate}, {"outputs", read_outputs},
                  {"plots", trm_read_plots},       {"metrics", trm_read_metrics}};
  const trm_yaml_pair *ground = section_of(reader, "ground");
  const trm_yaml_pair *reference = section_of(reader, "reference");
  const trm_yaml_pair *view = section_of(reader, "view");
  const trm_yaml_pair *own = section_of(reader, "system");
  if (own) trm_read_system(reader, own);
  reader->kind = reader->key = NULL;
  if (!own) read_gravity(reader);
  if (ground && !own) trm_read_ground(reader, ground);
  if (reference) trm_read_reference(reader, reference);
  if (view && !own) trm_read_view(reader, view);
  reader->kind = reader->key = NULL;
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    const trm_yaml_pair *pair = section_of(reader, sections[i].key);
    bool foreign = own && i < MECHANISM_SECTIONS;
    if (pair && !foreign) sections[i].read(reader, pair->value);
    reader->kind = reader->name = reader->key = NULL;
  }
}

/* Whether the things that others name could be read at all. */
static bool can_build(const trm_reader *reader) {
  const trm_user_def *user = reader->model->draft->user;
  if (user) return user->def.coordinates > 0;
  static const char *const keys[] = {"bodies", "joints", "forces", "ground", "parameters"};
  for (int i = 0; i < 5; i++) {
    const trm_yaml_pair *pair = section_of(reader, keys[i]);
    if (pair && pair->value->bad) return false;
  }
  return section_of(reader, "bodies") != NULL;
}

static int count_overrides(const char *const *overrides) {
  int count = 0;
  while (overrides && overrides[count]) count++;
  return count;
}

static bool copy_overrides(trm_model *model, const char *const *overrides) {
  int count = count_overrides(overrides);
  model->overrides = TRM_NEW(model->arena, const char *, count + 1);
  for (int i = 0; model->overrides && i < count; i++)
    if (!(model->overrides[i] = trm_arena_string(model->arena, overrides[i]))) return false;
  return model->overrides != NULL;
}

static trm_status build(trm_reader *reader, const char *const *overrides) {
  trm_space space = read_space(reader);
  bool own = section_of(reader, "system") != NULL;
  reader->model = own ? trm_model_create_system(NULL) : trm_model_create(space);
  if (own && reader->wanted != TRM_READ_AS_WRITTEN) {
    reader->wrong_usage = true;
    trm_report(reader->diagnostics, TRM_ERROR,
               "a system of its own is neither planar nor spatial: it runs as it is written");
  }
  if (!reader->model || !trm_read_parameters(reader, overrides)) return TRM_NO_MEMORY;
  trm_model *model = reader->model;
  model->file = trm_arena_string(model->arena, reader->document.file);
  if (!model->file || !copy_overrides(model, overrides)) return TRM_NO_MEMORY;
  for (int i = 0; i < reader->parameter_count; i++)
    trm_model_set_parameter(model, reader->parameters[i].name, reader->parameters[i].value);
  read_names(reader);
  read_sections(reader);
  if (reader->no_memory) return TRM_NO_MEMORY;
  if (!can_build(reader) || reader->reported > TRM_YAML_MOST_ERRORS) return TRM_BAD_MODEL;
  if (reader->wanted == TRM_SPATIAL && space == TRM_PLANAR && !own) trm_draft_embed(model->draft);
  reader->building = true;
  trm_status status = trm_model_finish(model, reader->diagnostics);
  return status == TRM_OK ? trm_read_origins(reader) : status;
}

static trm_status read_document(trm_reader *reader, const char *const *overrides) {
  trm_document *document = &reader->document;
  trm_status status = document->text ? TRM_OK : trm_read_file(document, reader->diagnostics);
  if (status != TRM_OK) return status;
  if (!trm_yaml_scan(document, reader->diagnostics)) return TRM_BAD_MODEL;
  if (!trm_yaml_parse(document, reader->diagnostics))
    return trm_diagnostics_errors(reader->diagnostics) ? TRM_BAD_MODEL : TRM_NO_MEMORY;
  if (!check_root(reader)) return TRM_BAD_MODEL;
  trm_diagnostics_set_locator(reader->diagnostics, trm_read_locate, reader);
  status = build(reader, overrides);
  trm_diagnostics_set_locator(reader->diagnostics, NULL, NULL);
  if (status != TRM_OK || trm_diagnostics_errors(reader->diagnostics) == 0) return status;
  return TRM_BAD_MODEL;
}

/* Notes stay behind what they explain: they take its place. */
typedef struct ordered {
  int line, column, index;
} ordered;

static int by_place(const void *a, const void *b) {
  const ordered *x = a, *y = b;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  if (x->column != y->column) return x->column < y->column ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

/* Hands the messages over in the order of the file. */
static void publish(trm_reader *reader, trm_diagnostics *diagnostics) {
  int count = trm_diagnostics_count(reader->diagnostics);
  ordered *order = TRM_NEW(reader->document.arena, ordered, count);
  int line = 0, column = 0;
  for (int i = 0; order && i < count; i++) {
    const trm_diagnostic *d = trm_diagnostics_get(reader->diagnostics, i);
    if (d->severity != TRM_NOTE) line = d->line, column = d->column;
    order[i] = (ordered){line, column, i};
  }
  if (order) qsort(order, (size_t)count, sizeof *order, by_place);
  for (int i = 0; i < count; i++) {
    const trm_diagnostic *d = trm_diagnostics_get(reader->diagnostics, order ? order[i].index : i);
    trm_place place = {d->file, d->line, d->column, d->source};
    if (d->line != TRM_READ_DROPPED)
      trm_report_place(diagnostics, d->severity, place, "%s", d->message);
  }
}

static const char *folder_of(trm_arena *arena, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return NULL;
  return trm_arena_substring(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

static trm_status load(trm_reader *reader, const char *path, const char *const *overrides) {
  reader->document.file = path;
  reader->document.arena = trm_arena_create();
  reader->diagnostics = trm_diagnostics_create();
  if (!reader->document.arena || !reader->diagnostics) return TRM_NO_MEMORY;
  reader->repeated = trm_map_create(reader->document.arena);
  if (!reader->repeated) return TRM_NO_MEMORY;
  reader->folder = folder_of(reader->document.arena, path);
  trm_status status = read_document(reader, overrides);
  return status == TRM_BAD_MODEL && reader->wrong_usage ? TRM_BAD_USAGE : status;
}

static trm_model *load_model(trm_reader *reader, const char *path, const char *const *overrides,
                             trm_diagnostics *diagnostics, trm_status *status) {
  trm_status result = TRM_BAD_USAGE;
  if (path)
    result = load(reader, path, overrides);
  else
    trm_report(diagnostics, TRM_ERROR, "no model file given");
  if (result == TRM_NO_MEMORY)
    trm_report(diagnostics, TRM_ERROR, "out of memory while reading %s", path);
  if (reader->diagnostics && reader->document.arena) publish(reader, diagnostics);
  trm_diagnostics_destroy(reader->diagnostics);
  trm_arena_destroy(reader->document.arena);
  if (result != TRM_OK) trm_model_destroy(reader->model);
  if (status) *status = result;
  return result == TRM_OK ? reader->model : NULL;
}

trm_model *trm_model_load(const char *path, const char *const *overrides,
                          trm_diagnostics *diagnostics, trm_status *status) {
  trm_reader reader = {.evaluating = -1, .wanted = TRM_READ_AS_WRITTEN};
  return load_model(&reader, path, overrides, diagnostics, status);
}

trm_model *trm_model_load_text(const char *yaml, const char *name, const char *const *overrides,
                               trm_diagnostics *diagnostics, trm_status *status) {
  trm_reader reader = {.evaluating = -1, .wanted = TRM_READ_AS_WRITTEN};
  reader.document.text = yaml;
  reader.document.length = yaml ? strlen(yaml) : 0;
  if (!yaml || reader.document.length > TRM_MODEL_FILE_LIMIT) {
    trm_report(diagnostics, TRM_ERROR,
               yaml ? "the model has more than %d MB" : "no model text given (at most %d MB)",
               TRM_MODEL_FILE_LIMIT >> 20);
    if (status) *status = yaml ? TRM_BAD_MODEL : TRM_BAD_USAGE;
    return NULL;
  }
  return load_model(&reader, name ? name : "model", overrides, diagnostics, status);
}

/* Of several overrides of one name the last one counts. */
trm_model *trm_model_with(const trm_model *model, const char *parameter, double value,
                          trm_diagnostics *diagnostics, trm_status *status) {
  trm_reader reader = {.evaluating = -1, .wanted = TRM_READ_AS_WRITTEN};
  if (model->embedded) reader.wanted = (int)TRM_SPATIAL;
  int count = count_overrides(model->overrides), kept = 0;
  size_t length = strlen(parameter);
  const char **overrides = calloc((size_t)count + 2, sizeof *overrides);
  char *last = malloc(length + 32);
  trm_model *other = NULL;
  if (overrides && last) {
    snprintf(last, length + 32, "%s=%.17g", parameter, value);
    for (int i = 0; i < count; i++)
      if (strncmp(model->overrides[i], last, length + 1) != 0)
        overrides[kept++] = model->overrides[i];
    overrides[kept] = last;
    reader.document.text = model->text;
    reader.document.length = strlen(model->text);
    other = load_model(&reader, model->file, overrides, diagnostics, status);
  } else {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    if (status) *status = TRM_NO_MEMORY;
  }
  free(overrides);
  free(last);
  return other;
}

trm_model *trm_model_load_as(const char *path, const char *const *overrides, trm_space space,
                             trm_diagnostics *diagnostics, trm_status *status) {
  trm_reader reader = {.evaluating = -1, .wanted = (int)space};
  return load_model(&reader, path, overrides, diagnostics, status);
}

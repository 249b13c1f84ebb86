/* Reading a model file: its sections in order, then the builder. */
#define _POSIX_C_SOURCE 200809L
#include "base/files_read.h"
#include "base/locale.h"
#include "model/build.h"
#include "model/read_include.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION "1"

enum { MECHANISM = 0, SYSTEM = 1, PART = 2 }; /* what a file holds */
enum {
  BODIES = 1 << MECHANISM,
  OWN = 1 << SYSTEM,
  PARTS = 1 << PART,
  MECHANISMS = BODIES | PARTS,
  ALL = MECHANISMS | OWN
};

static const trm_field fields[] = {
    {"trammel", NULL, ALL, ALL},        {"name", NULL, ALL, 0},
    {"description", NULL, ALL, 0},      {"space", NULL, ALL, BODIES},
    {"gravity", NULL, MECHANISMS, 0},   {"parameters", NULL, ALL, 0},
    {"units", NULL, BODIES | OWN, 0},   {"include", NULL, MECHANISMS, 0},
    {"ground", NULL, MECHANISMS, 0},    {"bodies", NULL, MECHANISMS, 0},
    {"joints", NULL, MECHANISMS, 0},    {"forces", NULL, MECHANISMS, 0},
    {"shafts", NULL, MECHANISMS, 0},    {"inputs", NULL, MECHANISMS, 0},
    {"variables", NULL, MECHANISMS, 0}, {"states", NULL, MECHANISMS, 0},
    {"events", NULL, MECHANISMS, 0},    {"system", NULL, ALL, OWN},
    {"initial", NULL, ALL, 0},          {"simulate", NULL, ALL, 0},
    {"outputs", NULL, ALL, 0},          {"reference", NULL, ALL, 0},
    {"road", NULL, MECHANISMS, 0},      {"plots", NULL, ALL, 0},
    {"metrics", NULL, ALL, 0},          {"view", NULL, MECHANISMS, 0},
    {"optimize", NULL, ALL, 0},         {"guess", NULL, MECHANISMS, 0},
};

static const char *kind_name(int kind) {
  static const char *const names[] = {"a model with 'bodies'", "a model with 'system'"};
  return kind == MECHANISM || kind == SYSTEM ? names[kind] : NULL;
}

static const trm_schema schema = {fields, sizeof fields / sizeof *fields, kind_name, ""};

static const trm_yaml_pair *section_of(const trm_reader *reader, const char *key) {
  return trm_yaml_get(reader->document.root, key, strlen(key));
}

/* Another format, or no model at all: reading on makes no sense. */
/* Bodies, shafts, or files that have them. */
static bool has_contents(const trm_reader *reader) {
  return section_of(reader, "bodies") || section_of(reader, "shafts") ||
         section_of(reader, "include");
}

bool trm_read_check_root(trm_reader *reader) {
  trm_yaml *root = reader->document.root;
  if (root->kind != TRM_YAML_MAP) {
    trm_read_error(reader, root, "expected a map that starts with 'trammel: 1', found %s",
                   trm_yaml_kind_name(root));
    return false;
  }
  const trm_yaml_pair *version = section_of(reader, "trammel");
  if (reader->document.foreign && !version) {
    trm_read_error(reader, root, "missing key 'trammel': a model starts with 'trammel: 1'");
    return false;
  }
  if (version && (version->value->kind != TRM_YAML_TEXT ||
                  strcmp(version->value->text, FORMAT_VERSION) != 0)) {
    reader->key = "trammel";
    trm_read_error(reader, version->value,
                   "the format version must be " FORMAT_VERSION ", found %.60s",
                   version->value->kind == TRM_YAML_TEXT ? version->value->text
                                                         : trm_yaml_kind_name(version->value));
    return false;
  }
  const trm_yaml_pair *own = section_of(reader, "system");
  int kind = reader->outer ? PART : own ? SYSTEM : MECHANISM;
  trm_read_fields(reader, &(trm_yaml_pair){root, root}, &schema, kind, NULL);
  if (kind == MECHANISM && !has_contents(reader))
    trm_read_error(reader, root, "missing key 'bodies'");
  if (kind == PART && own)
    trm_read_error(reader, own->key, "a part has bodies, not a system of its own");
  return kind != PART || !own;
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
  if (space == TRM_SPATIAL && reader->wanted == TRM_PLANAR && !reader->outer) {
    reader->wrong_usage = true;
    trm_read_error(reader, pair->value, "a spatial model has no planar form");
  }
  reader->key = NULL;
  return space;
}

/* A part may leave it out, but is in the model's space. */
static void check_space(trm_reader *part) {
  trm_yaml *node = section_of(part, "space") ? section_of(part, "space")->value : NULL;
  trm_space space = node ? read_space(part) : part->model->space;
  if (!node || node->bad || space == part->model->space) return;
  part->key = "space";
  trm_read_error(part, node, "the part is %s, the model %s", node->text,
                 space == TRM_PLANAR ? "spatial" : "planar");
  part->key = NULL;
}

/* What numbers with units are turned into. */
static void read_units(trm_reader *reader) {
  const trm_yaml_pair *pair = section_of(reader, "units");
  const char *text = NULL;
  int k = 0;
  reader->key = "units";
  if (!pair || !trm_read_text(reader, pair->value, "SI or mm-N-s-t", &text)) return;
  while (trm_units_get(k) && strcmp(trm_units_get(k)->name, text) != 0) k++;
  if (trm_units_get(k))
    reader->model->units = (reader->model->draft->units = trm_units_get(k))->name;
  else
    trm_read_error(reader, pair->value, "unknown units '%.60s'; they are SI or mm-N-s-t", text);
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
  if (pair) trm_read_unit(reader, pair->value, TRM_AN_ACCELERATION);
  reader->key = NULL;
}

/* `initial: equilibrium`; in a part it does not count. */
static void read_start(trm_reader *reader, trm_yaml *section) {
  trm_start start = TRM_START_EQUILIBRIUM;
  if (strcmp(section->text, "steady") == 0)
    start = TRM_START_STEADY;
  else if (strcmp(section->text, "equilibrium") != 0)
    trm_read_error(reader, section,
                   "expected measures and values, 'equilibrium' or 'steady', found '%s'",
                   section->text);
  if (!reader->outer) trm_model_set_start(reader->model, start);
  reader->key = NULL;
}

static void read_initial(trm_reader *reader, trm_yaml *section) {
  reader->key = "initial";
  if (section->kind == TRM_YAML_TEXT) {
    read_start(reader, section);
    return;
  }
  if (!trm_read_map(reader, section, "measures and values")) return;
  reader->kind = "initial";
  for (int i = 0; i < section->count; i++) {
    const char *measure = section->pairs[i].key->text;
    double value = 0, shift = 0, sign = reader->outer ? trm_part_sign(reader, measure, &shift) : 1;
    reader->key = measure;
    trm_read_number(reader, section->pairs[i].value, &value);
    trm_model_add_initial(reader->model, measure, sign * value + shift);
  }
  reader->kind = reader->key = NULL;
}

static void read_output_formula(trm_reader *reader, const trm_yaml_pair *pair) {
  trm_value value = {.text = "0"}; /* in the place of a wrong one */
  reader->kind = "output";
  reader->name = pair->key->text;
  reader->key = NULL;
  trm_read_formula(reader, pair->value, &value);
  trm_model_add_output_formula(reader->model, pair->key->text, value.text ? value.text : "0");
  reader->kind = reader->name = NULL;
  reader->key = "outputs";
}

/* A measure, or a name and its formula. */
static void read_output(trm_reader *reader, trm_yaml *item) {
  const char *text = "energy"; /* in the place of a wrong one: the builder counts places */
  bool formula = item->kind == TRM_YAML_MAP;
  if (formula && item->count == 1) {
    read_output_formula(reader, &item->pairs[0]);
    return;
  }
  if (formula)
    trm_read_error(reader, item,
                   "expected one name and its formula, as in {tip_speed: \"hypot(rod.vx, "
                   "rod.vy)\"}, found %d; each is an item of the list",
                   item->count);
  else
    trm_read_text(reader, item, "a measure, or a name and its formula", &text);
  trm_model_add_output(reader->model, text);
}

/* A list of measures and formulas, or a map of formulas. */
static void read_outputs(trm_reader *reader, trm_yaml *section) {
  reader->key = "outputs";
  bool list = section->kind == TRM_YAML_LIST, map = section->kind == TRM_YAML_MAP;
  if (!list && !map && section->kind != TRM_YAML_NOTHING)
    trm_read_error(reader, section, "expected a list of measures, found %s",
                   trm_yaml_kind_name(section));
  for (int i = 0; list && i < section->count; i++) read_output(reader, section->items[i]);
  for (int i = 0; map && i < section->count; i++) read_output_formula(reader, &section->pairs[i]);
  reader->key = NULL;
}

/* What a file is made of; parameters come first, and bodies before what names them. */
static void read_sections(trm_reader *reader) {
  enum { MECHANISM_SECTIONS = 8 };
  static const struct {
    const char *key;
    void (*read)(trm_reader *reader, trm_yaml *section);
    bool of_model; /* in a part it does not count */
  } sections[] = {{"bodies", trm_read_bodies, false},   {"joints", trm_read_joints, false},
                  {"forces", trm_read_forces, false},   {"shafts", trm_read_shafts, false},
                  {"inputs", trm_read_inputs, false},   {"variables", trm_read_variables, false},
                  {"states", trm_read_states, false},   {"events", trm_read_events, false},
                  {"initial", read_initial, false},     {"simulate", trm_read_simulate, true},
                  {"outputs", read_outputs, true},      {"plots", trm_read_plots, false},
                  {"metrics", trm_read_metrics, false}, {"optimize", trm_read_optimize, true}};
  const trm_yaml_pair *ground = section_of(reader, "ground");
  const trm_yaml_pair *reference = section_of(reader, "reference");
  const trm_yaml_pair *road = section_of(reader, "road");
  const trm_yaml_pair *view = section_of(reader, "view");
  const trm_yaml_pair *own = section_of(reader, "system");
  bool part = reader->outer != NULL;
  if (own && !part) trm_read_system(reader, own);
  reader->kind = reader->key = NULL;
  if (!own && !part) read_gravity(reader);
  if (ground && !own) trm_read_ground(reader, ground);
  if (reference && !part) trm_read_reference(reader, reference);
  reader->kind = reader->key = NULL;
  if (road && !part && !own) trm_read_road(reader, road);
  if (view && !part && !own) trm_read_view(reader, view);
  reader->kind = reader->key = NULL;
  bool no_outputs = reader->earlier && reader->earlier->no_outputs;
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    const trm_yaml_pair *pair = section_of(reader, sections[i].key);
    bool foreign = (own && i < MECHANISM_SECTIONS) || (part && sections[i].of_model);
    bool left_out = no_outputs && sections[i].read == read_outputs;
    if (pair && !foreign && !left_out) sections[i].read(reader, pair->value);
    if (left_out) trm_model_add_output(reader->model, "t");
    reader->kind = reader->name = reader->key = NULL;
  }
}

/* The sections of the parts follow those of the file that includes them. */
static void read_all(trm_reader *reader) {
  read_sections(reader);
  for (int i = 0; i < reader->part_count; i++) {
    trm_reader *part = reader->parts[i];
    check_space(part);
    if (!trm_part_prefix_initial(part)) part->no_memory = true;
    read_all(part);
    reader->reported += part->reported;
    reader->no_memory |= part->no_memory;
    reader->wrong_usage |= part->wrong_usage;
  }
}

/* Whether the things that others name could be read at all. */
static bool can_build(const trm_reader *reader) {
  const trm_user_def *user = reader->model->draft->user;
  if (user) return user->def.coordinates > 0;
  static const char *const keys[] = {"bodies",     "joints", "forces", "shafts",    "ground",
                                     "parameters", "inputs", "states", "variables", "events"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const trm_yaml_pair *pair = section_of(reader, keys[i]);
    if (pair && pair->value->bad) return false;
  }
  for (int i = 0; i < reader->part_count; i++)
    if (!can_build(reader->parts[i])) return false;
  return reader->outer || has_contents(reader);
}

static void start_building(trm_reader *reader) {
  reader->building = true;
  for (int i = 0; i < reader->part_count; i++) start_building(reader->parts[i]);
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
  reader->overrides = overrides;
  reader->override_used = TRM_NEW(reader->document.arena, bool, count_overrides(overrides) + 1);
  if (!reader->model || !reader->override_used) return TRM_NO_MEMORY;
  reader->model->symbols = reader->symbols;
  reader->model->shelf = trm_shelf_share(reader->shelf);
  read_units(reader);
  reader->key = NULL;
  if (!trm_read_declare(reader)) return TRM_NO_MEMORY;
  trm_read_parameters(reader);
  bool complete = own || trm_read_include(reader);
  if (complete) trm_read_unused_overrides(reader);
  trm_model *model = reader->model;
  model->file = trm_arena_string(model->arena, reader->document.file);
  if (!model->file || !copy_overrides(model, overrides)) return TRM_NO_MEMORY;
  for (int i = 0; i < reader->parameter_count; i++)
    trm_model_set_parameter(model, reader->parameters[i].name, reader->parameters[i].value);
  read_names(reader);
  read_all(reader);
  if (complete) trm_read_unused_inputs(reader);
  if (complete) trm_read_motion(reader);
  if (reader->no_memory) return TRM_NO_MEMORY;
  if (!complete || !can_build(reader) || reader->reported > TRM_YAML_MOST_ERRORS)
    return TRM_BAD_MODEL;
  if (reader->wanted == TRM_SPATIAL && space == TRM_PLANAR && !own) trm_draft_embed(model->draft);
  start_building(reader);
  trm_status status = trm_model_finish(model, reader->diagnostics);
  if (status != TRM_OK) return status;
  if (reader->symbols && !trm_read_symbols(reader)) return TRM_NO_MEMORY;
  /* sections of a file with errors are not those of the model */
  return trm_diagnostics_errors(reader->diagnostics) ? TRM_BAD_MODEL : trm_read_origins(reader);
}

static trm_status read_document(trm_reader *reader, const char *const *overrides) {
  trm_status status = trm_read_tree(reader);
  if (status != TRM_OK) return status;
  if (!trm_read_check_root(reader)) return TRM_BAD_MODEL;
  trm_diagnostics_set_locator(reader->diagnostics, trm_read_locate, reader);
  status = build(reader, overrides);
  trm_diagnostics_set_locator(reader->diagnostics, NULL, NULL);
  if (status != TRM_OK || trm_diagnostics_errors(reader->diagnostics) == 0) return status;
  return TRM_BAD_MODEL;
}

/* Notes stay behind what they explain: they take its place. */
typedef struct ordered {
  int file, line, column, index;
} ordered;

static int by_place(const void *a, const void *b) {
  const ordered *x = a, *y = b;
  if (x->file != y->file) return x->file < y->file ? -1 : 1;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  if (x->column != y->column) return x->column < y->column ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

/* Files are numbered as they come, the model's own before its parts. */
static int file_number(trm_map *files, const char *file, int count) {
  size_t length = file ? strlen(file) : 0;
  int known = length ? trm_map_get(files, file, length) : 0;
  if (known < 0 && trm_map_put(files, file, length, count)) known = count;
  return known;
}

/* Hands the messages over in the order of the files. */
static void publish(trm_reader *reader, trm_diagnostics *diagnostics) {
  int count = trm_diagnostics_count(reader->diagnostics);
  ordered *order = TRM_NEW(reader->document.arena, ordered, count);
  trm_map *files = trm_map_create(reader->document.arena);
  int file = 0, line = 0, column = 0;
  if (files) file_number(files, reader->document.file, 0);
  for (int i = 0; order && files && i < count; i++) {
    const trm_diagnostic *d = trm_diagnostics_get(reader->diagnostics, i);
    if (d->severity != TRM_NOTE) {
      file = file_number(files, d->file, i + 1);
      line = d->line, column = d->column;
    }
    order[i] = (ordered){file, line, column, i};
  }
  if (!files) order = NULL;
  if (order) qsort(order, (size_t)count, sizeof *order, by_place);
  for (int i = 0; i < count; i++) {
    const trm_diagnostic *d = trm_diagnostics_get(reader->diagnostics, order ? order[i].index : i);
    trm_place place = {d->file, d->line, d->column, d->source, NULL};
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
  reader->shelf = reader->earlier ? trm_shelf_share(reader->earlier->shelf) : trm_shelf_create();
  if (!reader->document.arena || !reader->diagnostics || !reader->shelf) return TRM_NO_MEMORY;
  reader->repeated = trm_map_create(reader->document.arena);
  if (!reader->repeated) return TRM_NO_MEMORY;
  reader->folder = folder_of(reader->document.arena, path);
  reader->prefix = reader->nest = "";
  reader->frame = (trm_frame){.sign = {1, 1, 1}, .turn = 1};
  trm_status status = read_document(reader, overrides);
  return status == TRM_BAD_MODEL && reader->wrong_usage ? TRM_BAD_USAGE : status;
}

/* With other parameters it is made of the same files, of which some were not read again. */
static bool keep_files(trm_reader *reader) {
  trm_model *model = reader->model;
  return reader->earlier ? trm_files_copy(model->arena, &reader->earlier->files, &model->files)
                         : trm_files_take(model->arena, &model->files);
}

static trm_model *load_model(trm_reader *reader, const char *path, const char *const *overrides,
                             trm_diagnostics *diagnostics, trm_status *status) {
  trm_status result = TRM_BAD_USAGE;
  if (!reader->earlier) trm_files_begin();
  trm_locale caller = trm_locale_begin();
  if (path)
    result = load(reader, path, overrides);
  else
    trm_report(diagnostics, TRM_ERROR, "no model file given");
  if (result == TRM_OK && !keep_files(reader)) result = TRM_NO_MEMORY;
  if (result == TRM_OK && !reader->earlier) trm_shelf_close(reader->shelf);
  trm_files_end();
  if (result == TRM_NO_MEMORY)
    trm_report(diagnostics, TRM_ERROR, "out of memory while reading %s", path);
  if (reader->diagnostics && reader->document.arena) publish(reader, diagnostics);
  trm_diagnostics_destroy(reader->diagnostics);
  trm_arena_destroy(reader->document.arena);
  if (result != TRM_OK) trm_model_destroy(reader->model);
  trm_shelf_release(reader->shelf);
  trm_locale_end(caller);
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

/* Those of parameters that get another value are left out: the last one would count. */
static bool is_replaced(const char *override, int count, const char *const *parameters) {
  for (int i = 0; i < count; i++) {
    size_t length = strlen(parameters[i]);
    if (strncmp(override, parameters[i], length) == 0 && override[length] == '=') return true;
  }
  return false;
}

static const char **replace_overrides(const trm_model *model, trm_arena *arena, int count,
                                      const char *const *parameters, const double *values) {
  int before = count_overrides(model->overrides), kept = 0;
  const char **overrides = TRM_NEW(arena, const char *, before + count + 1);
  for (int i = 0; overrides && i < before; i++)
    if (!is_replaced(model->overrides[i], count, parameters))
      overrides[kept++] = model->overrides[i];
  for (int i = 0; overrides && i < count; i++) {
    size_t room = strlen(parameters[i]) + 32;
    char *text = trm_arena_alloc(arena, room, 1);
    if (!text) return NULL;
    snprintf(text, room, "%s=%.17g", parameters[i], values[i]);
    overrides[kept++] = text;
  }
  return overrides;
}

static trm_model *load_with(const trm_model *model, bool symbols, bool near, int count,
                            const char *const *parameters, const double *values,
                            trm_diagnostics *diagnostics, trm_status *status) {
  trm_reader reader = {.evaluating = -1,
                       .wanted = TRM_READ_AS_WRITTEN,
                       .symbols = symbols,
                       .near = near,
                       .earlier = model,
                       .value_count = count,
                       .value_names = parameters,
                       .values = values};
  if (model->embedded) reader.wanted = (int)TRM_SPATIAL;
  trm_arena *arena = trm_arena_create();
  trm_locale caller = trm_locale_begin();
  const char **overrides =
      arena ? replace_overrides(model, arena, count, parameters, values) : NULL;
  trm_locale_end(caller);
  trm_model *other = NULL;
  if (overrides) {
    other = load_model(&reader, model->file, overrides, diagnostics, status);
    trm_model_take_functions(other, model);
  } else {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    if (status) *status = TRM_NO_MEMORY;
  }
  trm_arena_destroy(arena);
  return other;
}

trm_model *trm_model_with(const trm_model *model, int count, const char *const *parameters,
                          const double *values, trm_diagnostics *diagnostics, trm_status *status) {
  return load_with(model, false, false, count, parameters, values, diagnostics, status);
}

trm_model *trm_model_with_symbols(const trm_model *model, int count, const char *const *parameters,
                                  const double *values, trm_diagnostics *diagnostics,
                                  trm_status *status) {
  return load_with(model, true, false, count, parameters, values, diagnostics, status);
}

trm_model *trm_model_near(const trm_model *model, bool symbols, int count,
                          const char *const *parameters, const double *values,
                          trm_diagnostics *diagnostics, trm_status *status) {
  return load_with(model, symbols, true, count, parameters, values, diagnostics, status);
}

void trm_model_leave_out_outputs(trm_model *model) {
  model->no_outputs = true;
}

trm_model *trm_model_load_as(const char *path, const char *const *overrides, trm_space space,
                             trm_diagnostics *diagnostics, trm_status *status) {
  trm_reader reader = {.evaluating = -1, .wanted = (int)space};
  return load_model(&reader, path, overrides, diagnostics, status);
}

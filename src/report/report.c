/* The page of one run: head, data, tail. */
#include <stdlib.h>
#include <string.h>
#include <trammel/report.h>
#include <trammel/version.h>

#include "base/sized.h"
#include "report/block.h"
#include "report/document.h"
#include "report/excerpt.h"
#include "report/figures.h"
#include "report/scene.h"
#include "result/summary.h"

static const trm_report_options no_options = {0};

void trm_report_options_init(trm_report_options *defaults, size_t size) {
  trm_sized_give(defaults, size, &no_options, sizeof no_options);
}

static bool is_used(const trm_method *method, const trm_summary *summary) {
  const char *const used[][2] = {{"coordinates", summary->coordinates},
                                 {"solver", summary->solver},
                                 {"stabilization", summary->stabilization},
                                 {"energy", summary->energy},
                                 {"integrator", summary->integrator}};
  for (size_t i = 0; i < sizeof used / sizeof *used; i++)
    if (strcmp(method->key, used[i][0]) == 0 && used[i][1] && strcmp(method->name, used[i][1]) == 0)
      return true;
  return false;
}

/* The methods of this run, with the line on when to use each. */
static void write_methods(const trm_summary *summary, trm_json *json) {
  trm_json_open_list(json, "methods");
  for (int i = 0; i < trm_method_count(); i++) {
    const trm_method *method = trm_method_get(i);
    if (!is_used(method, summary)) continue;
    trm_json_open(json, NULL);
    trm_json_string(json, "key", method->key);
    trm_json_string(json, "name", method->name);
    trm_json_string(json, "when", method->when);
    trm_json_close(json);
  }
  trm_json_close_list(json);
}

static void write_parameters(const trm_model *model, trm_json *json) {
  trm_json_open(json, "parameters");
  for (int i = 0; i < model->parameter_count; i++)
    trm_json_number(json, model->parameters[i].name, model->parameters[i].value);
  trm_json_close(json);
}

static void write_messages(const trm_report_options *options, trm_json *json) {
  trm_json_open_list(json, "messages");
  for (int i = 0; i < options->message_count; i++)
    trm_json_string(json, NULL, options->messages[i]);
  trm_json_close_list(json);
}

/* What the blocks of the page are made of. */
typedef struct content {
  trm_simulation *sim;
  const trm_report_options *options;
  const trm_summary *summary;
  char *scene; /* the text of its file, or NULL */
  trm_excerpt excerpt;
} content;

static bool write_scene(const content *c, trm_output *output, trm_diagnostics *diagnostics) {
  trm_json json;
  if (c->scene) {
    trm_document_copy_object(output, "scene", c->scene);
    return true;
  }
  trm_document_open_object(output, &json, "scene");
  bool good = trm_scene_write_fields(c->sim, &json, diagnostics);
  trm_document_close_object(output, &json);
  return good;
}

static void write_data(const content *c, trm_output *output) {
  trm_json json;
  const trm_model *model = c->sim->engine->model;
  trm_document_open_object(output, &json, "data");
  trm_json_string(&json, "kind", "run");
  trm_json_string(&json, "trammel", trm_version());
  trm_json_open(&json, "summary");
  trm_summary_write_fields(c->summary, &json);
  trm_json_close(&json);
  trm_json_string(&json, "description", model->description);
  trm_json_string(&json, "source", model->text);
  write_methods(c->summary, &json);
  write_parameters(model, &json);
  write_messages(c->options, &json);
  trm_figures_write(model, &json);
  trm_excerpt_write(&c->excerpt, "table", &json);
  trm_document_close_object(output, &json);
}

static trm_status write_page(const content *c, const char *path, trm_diagnostics *diagnostics) {
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  const trm_model *model = c->sim->engine->model;
  trm_document_begin(output, *model->name ? model->name : "Trammel");
  write_data(c, output);
  bool good = write_scene(c, output, diagnostics) &&
              trm_block_write(output, "table", c->excerpt.values, (size_t)c->excerpt.rows,
                              (size_t)c->excerpt.columns);
  trm_document_end(output);
  trm_status status = trm_output_close(output, diagnostics);
  return good ? status : TRM_NO_MEMORY;
}

trm_status trm_report_write(trm_simulation *simulation, const trm_results *results,
                            const trm_report_options *options, const char *path,
                            trm_diagnostics *diagnostics) {
  trm_report_options own = no_options;
  if (!trm_sized_take_or_report(&own, sizeof own, options, "trm_default_report_options",
                                diagnostics))
    return TRM_BAD_USAGE;
  content c = {.sim = simulation, .options = &own};
  c.summary = c.options->summary ? c.options->summary : trm_simulation_summary(simulation);
  trm_status status = TRM_NO_MEMORY;
  if (c.options->scene) c.scene = trm_scene_text(c.options->scene, diagnostics);
  if (c.options->scene && !c.scene)
    status = TRM_IO_ERROR;
  else if (trm_figures_excerpt(simulation->engine->model, results, &c.excerpt))
    status = write_page(&c, path, diagnostics);
  trm_excerpt_free(&c.excerpt);
  free(c.scene);
  if (status == TRM_NO_MEMORY)
    trm_report(diagnostics, TRM_ERROR, "cannot write '%s': out of memory", path);
  return status;
}

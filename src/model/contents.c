/* What a model has, by name, for programs that do not know it. */
#include <math.h>
#include <string.h>

#include "base/mix.h"
#include "model/model.h"

static bool is_one_of(int index, int count) {
  return index >= 0 && index < count;
}

int trm_model_parameter_count(const trm_model *model) {
  return model->parameter_count;
}

const char *trm_model_parameter_name(const trm_model *model, int k) {
  return is_one_of(k, model->parameter_count) ? model->parameters[k].name : NULL;
}

double trm_model_parameter_value(const trm_model *model, int k) {
  return is_one_of(k, model->parameter_count) ? model->parameters[k].value : NAN;
}

bool trm_model_body_mass(const trm_model *model, int k, double *mass, double com[3],
                         double inertia[6]) {
  if (!is_one_of(k, trm_model_placed(model))) return false;
  *mass = model->bodies[k].mass;
  memcpy(com, model->bodies[k].com, 3 * sizeof *com);
  memcpy(inertia, model->bodies[k].inertia, 6 * sizeof *inertia);
  return true;
}

/* Inputs are some of the signals. */
const char *trm_model_input_name(const trm_model *model, int input) {
  for (int i = 0; i < model->named_signals; i++)
    if (model->signals[i].kind == TRM_SIGNAL_INPUT && input-- == 0) return model->signals[i].name;
  return NULL;
}

int trm_model_input_count(const trm_model *model) {
  int count = 0;
  while (trm_model_input_name(model, count)) count++;
  return count;
}

const char *trm_model_driver_name(const trm_model *model, int driver) {
  for (int i = 0; i < model->joint_count; i++)
    if (model->joints[i].type == TRM_JOINT_DRIVER && driver-- == 0) return model->joints[i].name;
  return NULL;
}

int trm_model_driver_count(const trm_model *model) {
  int count = 0;
  while (trm_model_driver_name(model, count)) count++;
  return count;
}

int trm_model_output_count(const trm_model *model) {
  return model->output_count;
}

const char *trm_model_output_name(const trm_model *model, int k) {
  return is_one_of(k, model->output_count) ? model->outputs[k].name : NULL;
}

int trm_model_event_count(const trm_model *model) {
  return model->event_count;
}

const char *trm_model_event_name(const trm_model *model, int k) {
  return is_one_of(k, model->event_count) ? model->events[k].name : NULL;
}

trm_crossing trm_model_event_direction(const trm_model *model, int k) {
  return is_one_of(k, model->event_count) ? model->events[k].direction : TRM_BOTH;
}

bool trm_model_event_stops(const trm_model *model, int k) {
  return is_one_of(k, model->event_count) && model->events[k].stop;
}

int trm_model_file_count(const trm_model *model) {
  return model->files.count;
}

const char *trm_model_file(const trm_model *model, int k) {
  return is_one_of(k, model->files.count) ? model->files.paths[k] : NULL;
}

uint64_t trm_model_mix(const trm_model *model) {
  return trm_mix_text(trm_mix_text(model->files.sum, model->name), model->text);
}

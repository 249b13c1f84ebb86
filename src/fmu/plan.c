#define _POSIX_C_SOURCE 200809L
#include "fmu/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool trm_fmu_names_add(trm_fmu_names *list, const char *name) {
  char **grown = realloc(list->names, (size_t)(list->count + 1) * sizeof *grown);
  if (!grown) return false;
  list->names = grown;
  grown[list->count] = strdup(name);
  return grown[list->count] && ++list->count;
}

static void free_names(trm_fmu_names *list) {
  for (int i = 0; i < list->count; i++) free(list->names[i]);
  free(list->names);
}

void trm_fmu_plan_free(trm_fmu_plan *plan) {
  free(plan->model);
  free(plan->token);
  trm_fmu_names *lists[] = {&plan->sets, &plan->settings, &plan->parameters, &plan->inputs,
                            &plan->outputs};
  for (int i = 0; i < 5; i++) free_names(lists[i]);
  *plan = (trm_fmu_plan){0};
}

static bool read_line(trm_fmu_plan *plan, char *line) {
  char *value = strchr(line, ' ');
  if (!value) return false;
  *value++ = '\0';
  if (strcmp(line, "model") == 0) return (plan->model = strdup(value)) != NULL;
  if (strcmp(line, "token") == 0) return (plan->token = strdup(value)) != NULL;
  if (strcmp(line, "set") == 0) return trm_fmu_names_add(&plan->sets, value);
  if (strcmp(line, "simulate") == 0) return trm_fmu_names_add(&plan->settings, value);
  if (strcmp(line, "parameter") == 0) return trm_fmu_names_add(&plan->parameters, value);
  if (strcmp(line, "input") == 0) return trm_fmu_names_add(&plan->inputs, value);
  if (strcmp(line, "output") == 0) return trm_fmu_names_add(&plan->outputs, value);
  if (strcmp(line, "states") == 0) return (plan->states = atoi(value)) >= 0;
  if (strcmp(line, "events") == 0) return (plan->events = atoi(value)) >= 0;
  return false;
}

bool trm_fmu_plan_read(trm_fmu_plan *plan, const char *path) {
  *plan = (trm_fmu_plan){0};
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t room = 0;
  bool good = file != NULL;
  while (good && getline(&line, &room, file) > 0) {
    line[strcspn(line, "\n")] = '\0';
    good = read_line(plan, line);
  }
  free(line);
  if (file) fclose(file);
  if (good && plan->model && plan->token) return true;
  trm_fmu_plan_free(plan);
  return false;
}

int trm_fmu_count(const trm_fmu_plan *plan, trm_fmu_kind kind) {
  const int counts[TRM_FMU_KINDS] = {1,
                                     plan->parameters.count,
                                     plan->inputs.count,
                                     plan->outputs.count,
                                     plan->states,
                                     plan->states,
                                     plan->events};
  return counts[kind];
}

unsigned trm_fmu_reference(const trm_fmu_plan *plan, trm_fmu_kind kind, int index) {
  int before = 0;
  for (trm_fmu_kind k = TRM_FMU_TIME; k < kind; k++) before += trm_fmu_count(plan, k);
  return (unsigned)(before + index);
}

trm_fmu_kind trm_fmu_find(const trm_fmu_plan *plan, unsigned reference, int *index) {
  trm_fmu_kind kind = TRM_FMU_TIME;
  while (kind < TRM_FMU_KINDS && reference >= (unsigned)trm_fmu_count(plan, kind))
    reference -= (unsigned)trm_fmu_count(plan, kind++);
  *index = (int)reference;
  return kind;
}

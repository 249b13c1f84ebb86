#include "fmu/description.h"

#include <string.h>
#include <trammel/version.h>

typedef struct variable {
  const char *name, *causality, *variability, *initial; /* initial NULL: not written */
  unsigned reference;
  const double *start;
  int derivative; /* index of its state from 0, or −1 */
  const trm_fmu_unit *unit;
} variable;

/* FMI 2 counts variables from 1, FMI 3 has value references. */
static unsigned key_of(const trm_fmu_facts *f, trm_fmu_kind kind, int index) {
  return trm_fmu_reference(f->plan, kind, index) + (f->options->version == 2 ? 1u : 0u);
}

static void write_text(FILE *file, const char *text) {
  for (; *text; text++) switch (*text) {
    case '&': fputs("&amp;", file); break;
    case '<': fputs("&lt;", file); break;
    case '>': fputs("&gt;", file); break;
    case '"': fputs("&quot;", file); break;
    default:
      if ((unsigned char)*text >= ' ') fputc(*text, file);
    }
}

static void write_attribute(FILE *file, const char *name, const char *text) {
  if (!text) return;
  fprintf(file, " %s=\"", name);
  write_text(file, text);
  fputc('"', file);
}

static void write_variable(const trm_fmu_facts *f, FILE *file, const variable *v) {
  bool old = f->options->version == 2;
  fprintf(file, "    <%s", old ? "ScalarVariable" : "Float64");
  write_attribute(file, "name", v->name);
  fprintf(file, " valueReference=\"%u\"", v->reference);
  write_attribute(file, "causality", v->causality);
  write_attribute(file, "variability", v->variability);
  write_attribute(file, "initial", v->initial);
  if (old) fputs("><Real", file);
  if (v->unit) write_attribute(file, "unit", v->unit->name);
  if (v->start) fprintf(file, " start=\"%.17g\"", *v->start);
  if (v->derivative >= 0)
    fprintf(file, " derivative=\"%u\"", key_of(f, TRM_FMU_STATE, v->derivative));
  fputs(old ? "/></ScalarVariable>\n" : "/>\n", file);
}

/* q[1] … q[n], v[1] … v[n], then what is integrated beside them. */
static const char *state_name(const trm_fmu_facts *f, int index, char *text, size_t size) {
  int n = f->coordinates;
  if (index < n)
    snprintf(text, size, "q[%d]", index + 1);
  else if (index < 2 * n)
    snprintf(text, size, "v[%d]", index - n + 1);
  else
    snprintf(text, size, "z[%d]", index - 2 * n + 1);
  return text;
}

static void write_named(const trm_fmu_facts *f, FILE *file, trm_fmu_kind kind,
                        const trm_fmu_names *list, const double *starts, variable v) {
  for (int i = 0; i < list->count; i++) {
    v.name = list->names[i];
    v.reference = trm_fmu_reference(f->plan, kind, i);
    v.start = starts ? &starts[i] : NULL;
    v.unit = kind == TRM_FMU_OUTPUT ? f->units[i] : NULL;
    write_variable(f, file, &v);
  }
}

static void write_variables(const trm_fmu_facts *f, FILE *file) {
  const trm_fmu_plan *plan = f->plan;
  fputs("  <ModelVariables>\n", file);
  variable time = {"time", "independent", "continuous", NULL, 0, NULL, -1, f->time};
  write_variable(f, file, &time);
  write_named(f, file, TRM_FMU_PARAMETER, &plan->parameters, f->parameters,
              (variable){NULL, "parameter", "fixed", "exact", 0, NULL, -1, NULL});
  write_named(f, file, TRM_FMU_INPUT, &plan->inputs, f->inputs,
              (variable){NULL, "input", "continuous", NULL, 0, NULL, -1, NULL});
  write_named(f, file, TRM_FMU_OUTPUT, &plan->outputs, NULL,
              (variable){NULL, "output", "continuous", "calculated", 0, NULL, -1, NULL});
  char name[64], whole[80];
  for (int i = 0; i < plan->states; i++) {
    variable v = {state_name(f, i, name, sizeof name),       "local", "continuous", "calculated",
                  trm_fmu_reference(plan, TRM_FMU_STATE, i), NULL,    -1,           NULL};
    write_variable(f, file, &v);
  }
  for (int i = 0; i < plan->states; i++) {
    snprintf(whole, sizeof whole, "der(%s)", state_name(f, i, name, sizeof name));
    variable v = {
        whole, "local", "continuous", "calculated", trm_fmu_reference(plan, TRM_FMU_DERIVATIVE, i),
        NULL,  i,       NULL};
    write_variable(f, file, &v);
  }
  for (int i = 0; f->options->version == 3 && i < plan->events; i++) {
    snprintf(whole, sizeof whole, "event[%d]", i + 1);
    variable v = {
        whole, "local", "continuous", "calculated", trm_fmu_reference(plan, TRM_FMU_INDICATOR, i),
        NULL,  -1,      NULL};
    write_variable(f, file, &v);
  }
  fputs("  </ModelVariables>\n", file);
}

/* An output that hangs on all inputs needs no list: that is what none means. */
static void write_dependencies(const trm_fmu_facts *f, FILE *file, int output) {
  int inputs = f->plan->inputs.count, hangs = 0;
  const bool *direct = f->direct + (size_t)output * (size_t)inputs;
  for (int i = 0; i < inputs; i++) hangs += direct[i];
  if (hangs == inputs) return;
  fprintf(file, " dependencies=\"%u", key_of(f, TRM_FMU_TIME, 0));
  for (int i = 0; i < inputs; i++)
    if (direct[i]) fprintf(file, " %u", key_of(f, TRM_FMU_INPUT, i));
  for (int i = 0; i < f->plan->states; i++) fprintf(file, " %u", key_of(f, TRM_FMU_STATE, i));
  fputc('"', file);
}

static void write_unknowns(const trm_fmu_facts *f, FILE *file, const char *element,
                           trm_fmu_kind kind) {
  bool old = f->options->version == 2, first = strcmp(element, "InitialUnknown") == 0;
  for (int i = 0; i < trm_fmu_count(f->plan, kind); i++) {
    fprintf(file, "    <%s %s=\"%u\"", old ? "Unknown" : element, old ? "index" : "valueReference",
            key_of(f, kind, i));
    if (kind == TRM_FMU_OUTPUT && !first) write_dependencies(f, file, i);
    fputs("/>\n", file);
  }
}

/* FMI 2 wraps each kind in an element; an empty one is not allowed. */
static void write_group(const trm_fmu_facts *f, FILE *file, const char *group, const char *element,
                        const trm_fmu_kind *kinds, int count) {
  int all = 0;
  for (int i = 0; i < count; i++) all += trm_fmu_count(f->plan, kinds[i]);
  bool wrap = f->options->version == 2 && all > 0;
  if (wrap) fprintf(file, "    <%s>\n", group);
  for (int i = 0; i < count; i++) write_unknowns(f, file, element, kinds[i]);
  if (wrap) fprintf(file, "    </%s>\n", group);
}

static void write_structure(const trm_fmu_facts *f, FILE *file) {
  const trm_fmu_kind outputs[] = {TRM_FMU_OUTPUT}, rates[] = {TRM_FMU_DERIVATIVE};
  const trm_fmu_kind initial[] = {TRM_FMU_OUTPUT, TRM_FMU_STATE, TRM_FMU_DERIVATIVE};
  fputs("  <ModelStructure>\n", file);
  write_group(f, file, "Outputs", "Output", outputs, 1);
  write_group(f, file, "Derivatives", "ContinuousStateDerivative", rates, 1);
  write_group(f, file, "InitialUnknowns", "InitialUnknown", initial, 3);
  if (f->options->version == 3) write_unknowns(f, file, "EventIndicator", TRM_FMU_INDICATOR);
  fputs("  </ModelStructure>\n", file);
}

/* ---- units ---- */

static bool is_used(const trm_fmu_facts *f, const trm_fmu_unit *unit, int before) {
  bool used = unit == f->time;
  for (int i = 0; i < before && !used; i++) used = f->units[i] == unit;
  return used;
}

static void write_power(FILE *file, const char *name, int power) {
  if (power != 0) fprintf(file, " %s=\"%d\"", name, power);
}

static void write_unit(FILE *file, const trm_fmu_unit *unit) {
  fputs("    <Unit", file);
  write_attribute(file, "name", unit->name);
  fputs("><BaseUnit", file);
  write_power(file, "kg", unit->kg);
  write_power(file, "m", unit->m);
  write_power(file, "s", unit->s);
  write_power(file, "rad", unit->rad);
  if (unit->factor != 1) fprintf(file, " factor=\"%.17g\"", unit->factor);
  fputs("/></Unit>\n", file);
}

/* Each that is used, once; an empty list is not allowed. */
static void write_units(const trm_fmu_facts *f, FILE *file) {
  bool any = f->time != NULL;
  for (int i = 0; i < f->plan->outputs.count; i++) any = any || f->units[i];
  if (!any) return;
  fputs("  <UnitDefinitions>\n", file);
  if (f->time) write_unit(file, f->time);
  for (int i = 0; i < f->plan->outputs.count; i++)
    if (f->units[i] && !is_used(f, f->units[i], i)) write_unit(file, f->units[i]);
  fputs("  </UnitDefinitions>\n", file);
}

/* ---- names ---- */

static bool is_letter(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Of the standard's structured names: letters, digits and _, with dots between. */
static bool is_structured(const char *name) {
  for (bool first = true; *name; name++) {
    bool good = is_letter(*name) || (!first && ((*name >= '0' && *name <= '9') || *name == '.'));
    if (!good) return false;
    first = *name == '.';
    if (first && !name[1]) return false;
  }
  return true;
}

static bool all_structured(const trm_fmu_plan *plan) {
  const trm_fmu_names *lists[] = {&plan->parameters, &plan->inputs, &plan->outputs};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < lists[k]->count; i++)
      if (!is_structured(lists[k]->names[i])) return false;
  return true;
}

static void write_kinds(const trm_fmu_facts *f, FILE *file) {
  bool old = f->options->version == 2;
  const char *can =
      old ? "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
            "providesDirectionalDerivative=\"true\""
          : "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
            "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"";
  if (f->options->model_exchange)
    fprintf(file, "  <ModelExchange modelIdentifier=\"%s\" %s%s/>\n", f->identifier, can,
            old ? "" : " needsCompletedIntegratorStep=\"true\"");
  if (f->options->co_simulation)
    fprintf(file,
            "  <CoSimulation modelIdentifier=\"%s\" %s "
            "canHandleVariableCommunicationStepSize=\"true\"%s/>\n",
            f->identifier, can,
            old ? "" : " hasEventMode=\"true\" mightReturnEarlyFromDoStep=\"true\"");
}

void trm_fmu_describe(const trm_fmu_facts *f, FILE *file) {
  bool old = f->options->version == 2;
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription", file);
  write_attribute(file, "fmiVersion", old ? "2.0" : "3.0");
  write_attribute(file, "modelName", f->name);
  write_attribute(file, old ? "guid" : "instantiationToken", f->plan->token);
  if (*f->description) write_attribute(file, "description", f->description);
  fprintf(file, " generationTool=\"Trammel %s\" variableNamingConvention=\"%s\"", trm_version(),
          all_structured(f->plan) ? "structured" : "flat");
  if (old) fprintf(file, " numberOfEventIndicators=\"%d\"", f->plan->events);
  fputs(">\n", file);
  write_kinds(f, file);
  write_units(f, file);
  fprintf(file, "  <DefaultExperiment startTime=\"0\" stopTime=\"%.17g\" tolerance=\"%.17g\"/>\n",
          f->duration, f->tolerance);
  write_variables(f, file);
  write_structure(f, file);
  fputs("</fmiModelDescription>\n", file);
}

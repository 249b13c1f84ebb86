/* FMI 2.0: its functions over one instance. Types as the standard's fmi2TypesPlatform has them. */
#include <stdlib.h>
#include <string.h>

#include "instance.h"

typedef void *component;
typedef unsigned reference;
typedef int boolean;
typedef const char *string;
typedef enum { ok, warning, discard, error, fatal, pending } status;

typedef void (*logger)(void *environment, string name, status level, string category,
                       string message, ...);

typedef struct {
  logger log;
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*step_finished)(void *, status);
  void *environment;
} callbacks;

typedef struct {
  boolean new_states_needed, terminate, nominals_changed, states_changed, next_time_defined;
  double next_time;
} event_info;

typedef struct instance {
  trm_fmu *fmu;
  char *name;
  const callbacks *calls;
  boolean logging;
  boolean stopped;
} instance;

#define FMI __attribute__((visibility("default")))

static void say(void *context, bool is_error, const char *message) {
  instance *c = context;
  if (!c->calls || !c->calls->log || (!is_error && !c->logging)) return;
  c->calls->log(c->calls->environment, c->name, is_error ? error : warning,
                is_error ? "logStatusError" : "logStatusWarning", "%s", message);
}

static status judge(bool good) {
  return good ? ok : error;
}

FMI string fmi2GetTypesPlatform(void) {
  return "default";
}

FMI string fmi2GetVersion(void) {
  return "2.0";
}

FMI status fmi2SetDebugLogging(component c, boolean on, size_t count, const string *categories) {
  (void)count, (void)categories;
  ((instance *)c)->logging = on;
  return ok;
}

FMI void fmi2FreeInstance(component c) {
  instance *own = c;
  if (!own) return;
  trm_fmu_destroy(own->fmu);
  free(own->name);
  free(own);
}

FMI component fmi2Instantiate(string name, int type, string guid, string location,
                              const callbacks *calls, boolean visible, boolean logging) {
  (void)visible;
  instance *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->calls = calls;
  c->logging = logging;
  c->name = malloc(strlen(name ? name : "") + 1);
  if (c->name) strcpy(c->name, name ? name : "");
  if (c->name) c->fmu = trm_fmu_create(location, guid, type == 0, say, c);
  if (c->fmu) return c;
  fmi2FreeInstance(c);
  return NULL;
}

static trm_fmu *of(component c) {
  return ((instance *)c)->fmu;
}

FMI status fmi2SetupExperiment(component c, boolean given, double tolerance, double start,
                               boolean stop_given, double stop) {
  (void)stop_given, (void)stop;
  return judge(trm_fmu_start(of(c), start, given ? tolerance : 0));
}

FMI status fmi2EnterInitializationMode(component c) {
  of(c)->initializing = true;
  return judge(trm_fmu_initialize(of(c)));
}

FMI status fmi2ExitInitializationMode(component c) {
  of(c)->initializing = false;
  of(c)->running = true;
  return judge(trm_fmu_initialize(of(c)));
}

FMI status fmi2Terminate(component c) {
  (void)c;
  return ok;
}

FMI status fmi2Reset(component c) {
  ((instance *)c)->stopped = 0;
  return judge(trm_fmu_reset(of(c)));
}

/* ---- variables: all are real ---- */

FMI status fmi2GetReal(component c, const reference *r, size_t count, double *values) {
  for (size_t i = 0; i < count; i++)
    if (!trm_fmu_get(of(c), r[i], &values[i])) return error;
  return ok;
}

FMI status fmi2SetReal(component c, const reference *r, size_t count, const double *values) {
  for (size_t i = 0; i < count; i++)
    if (!trm_fmu_set(of(c), r[i], values[i])) return error;
  return ok;
}

static status none(component c, size_t count) {
  if (count == 0) return ok;
  say(c, true, "all variables are real");
  return error;
}

FMI status fmi2GetInteger(component c, const reference *r, size_t count, int *values) {
  (void)r, (void)values;
  return none(c, count);
}

FMI status fmi2GetBoolean(component c, const reference *r, size_t count, boolean *values) {
  (void)r, (void)values;
  return none(c, count);
}

FMI status fmi2GetString(component c, const reference *r, size_t count, string *values) {
  (void)r, (void)values;
  return none(c, count);
}

FMI status fmi2SetInteger(component c, const reference *r, size_t count, const int *values) {
  (void)r, (void)values;
  return none(c, count);
}

FMI status fmi2SetBoolean(component c, const reference *r, size_t count, const boolean *values) {
  (void)r, (void)values;
  return none(c, count);
}

FMI status fmi2SetString(component c, const reference *r, size_t count, const string *values) {
  (void)r, (void)values;
  return none(c, count);
}

/* ---- states saved and restored ---- */

FMI status fmi2GetFMUstate(component c, void **state) {
  return judge(trm_fmu_state_take(of(c), state));
}

FMI status fmi2SetFMUstate(component c, void *state) {
  return judge(trm_fmu_state_return(of(c), state));
}

FMI status fmi2FreeFMUstate(component c, void **state) {
  (void)c;
  free(*state);
  *state = NULL;
  return ok;
}

FMI status fmi2SerializedFMUstateSize(component c, void *state, size_t *size) {
  (void)c;
  *size = ((trm_fmu_state *)state)->size;
  return ok;
}

FMI status fmi2SerializeFMUstate(component c, void *state, char *bytes, size_t size) {
  (void)c;
  return judge(trm_fmu_state_write(state, bytes, size));
}

FMI status fmi2DeSerializeFMUstate(component c, const char *bytes, size_t size, void **state) {
  (void)c;
  return judge(trm_fmu_state_read(bytes, size, state));
}

FMI status fmi2GetDirectionalDerivative(component c, const reference *unknowns, size_t count,
                                        const reference *knowns, size_t known_count,
                                        const double *along, double *values) {
  return judge(trm_fmu_along(of(c), unknowns, count, knowns, known_count, along, values));
}

/* ---- model exchange ---- */

FMI status fmi2EnterEventMode(component c) {
  (void)c;
  return ok;
}

FMI status fmi2NewDiscreteStates(component c, event_info *info) {
  bool changed, stopped;
  if (!trm_fmu_handle_events(of(c), &changed, &stopped)) return error;
  *info = (event_info){.states_changed = changed, .terminate = stopped};
  return ok;
}

FMI status fmi2EnterContinuousTimeMode(component c) {
  (void)c;
  return ok;
}

FMI status fmi2CompletedIntegratorStep(component c, boolean no_set_prior, boolean *event,
                                       boolean *terminate) {
  (void)no_set_prior;
  bool needed;
  bool good = trm_fmu_complete(of(c), &needed);
  *event = good && needed;
  *terminate = 0;
  return judge(good);
}

FMI status fmi2SetTime(component c, double t) {
  trm_fmu_set_time(of(c), t);
  return ok;
}

FMI status fmi2SetContinuousStates(component c, const double *x, size_t count) {
  if (count != (size_t)of(c)->plan.states) return error;
  trm_fmu_set_states(of(c), x);
  return ok;
}

FMI status fmi2GetDerivatives(component c, double *rates, size_t count) {
  return judge(count == (size_t)of(c)->plan.states && trm_fmu_get_rates(of(c), rates));
}

FMI status fmi2GetEventIndicators(component c, double *values, size_t count) {
  return judge(count == (size_t)of(c)->plan.events && trm_fmu_get_indicators(of(c), values));
}

FMI status fmi2GetContinuousStates(component c, double *x, size_t count) {
  if (count != (size_t)of(c)->plan.states || !trm_fmu_initialize(of(c))) return error;
  memcpy(x, of(c)->x, count * sizeof(double));
  return ok;
}

FMI status fmi2GetNominalsOfContinuousStates(component c, double *nominals, size_t count) {
  (void)c;
  for (size_t i = 0; i < count; i++) nominals[i] = 1;
  return ok;
}

/* ---- co-simulation ---- */

FMI status fmi2SetRealInputDerivatives(component c, const reference *r, size_t count,
                                       const int *order, const double *values) {
  (void)r, (void)order, (void)values;
  if (count == 0) return ok;
  say(c, true, "inputs are held over a step; they take no derivatives");
  return error;
}

FMI status fmi2GetRealOutputDerivatives(component c, const reference *r, size_t count,
                                        const int *order, double *values) {
  (void)r, (void)order, (void)values;
  if (count == 0) return ok;
  say(c, true, "outputs have no derivatives here");
  return error;
}

FMI status fmi2DoStep(component c, double t, double step, boolean no_set_prior) {
  (void)no_set_prior;
  instance *own = c;
  bool stopped = false;
  if (own->stopped) return discard;
  if (!trm_fmu_advance(own->fmu, t + step, &stopped, NULL)) return error;
  own->stopped = stopped;
  return stopped && own->fmu->t < t + step ? discard : ok;
}

FMI status fmi2CancelStep(component c) {
  (void)c;
  return error;
}

FMI status fmi2GetStatus(component c, int kind, status *value) {
  (void)c, (void)kind;
  *value = ok;
  return ok;
}

FMI status fmi2GetRealStatus(component c, int kind, double *value) {
  (void)kind;
  *value = of(c)->t;
  return ok;
}

FMI status fmi2GetIntegerStatus(component c, int kind, int *value) {
  (void)c, (void)kind, (void)value;
  return discard;
}

FMI status fmi2GetBooleanStatus(component c, int kind, boolean *value) {
  (void)kind;
  *value = ((instance *)c)->stopped;
  return ok;
}

FMI status fmi2GetStringStatus(component c, int kind, string *value) {
  (void)c, (void)kind, (void)value;
  return discard;
}

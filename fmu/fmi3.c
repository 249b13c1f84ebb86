/* FMI 3.0: its functions over one instance. Types as the standard's fmi3PlatformTypes has them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

typedef uint32_t reference;
typedef enum { ok, warning, discard, error, fatal } status;
typedef void (*logger)(void *environment, status level, const char *category, const char *message);

typedef struct instance {
  trm_fmu *fmu;
  logger log;
  void *environment;
  bool logging, stopped;
  bool exchange;
  bool returns; /* from a step where it comes to an event, for the tool to go into event mode */
} instance;

#define FMI __attribute__((visibility("default")))

static void say(void *context, bool is_error, const char *message) {
  instance *c = context;
  if (!c->log || (!is_error && !c->logging)) return;
  c->log(c->environment, is_error ? error : warning,
         is_error ? "logStatusError" : "logStatusWarning", message);
}

static status judge(bool good) {
  return good ? ok : error;
}

static status refuse(void *c, const char *message) {
  say(c, true, message);
  return error;
}

static trm_fmu *of(void *c) {
  return ((instance *)c)->fmu;
}

FMI const char *fmi3GetVersion(void) {
  return "3.0";
}

FMI status fmi3SetDebugLogging(void *c, bool on, size_t count, const char *const *categories) {
  (void)count, (void)categories;
  ((instance *)c)->logging = on;
  return ok;
}

FMI void fmi3FreeInstance(void *c) {
  instance *own = c;
  if (!own) return;
  trm_fmu_destroy(own->fmu);
  free(own);
}

static void *instantiate(const char *token, const char *path, bool exchange, bool logging,
                         void *environment, logger log) {
  instance *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->log = log;
  c->environment = environment;
  c->logging = logging;
  c->exchange = exchange;
  c->fmu = trm_fmu_create(path, token, exchange, say, c);
  if (c->fmu) return c;
  free(c);
  return NULL;
}

FMI void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *path,
                                       bool visible, bool logging, void *environment, logger log) {
  (void)name, (void)visible;
  return instantiate(token, path, true, logging, environment, log);
}

FMI void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *path,
                                      bool visible, bool logging, bool event_mode, bool early,
                                      const reference *intermediate, size_t count,
                                      void *environment, logger log, void *update) {
  (void)name, (void)visible, (void)intermediate, (void)count, (void)update;
  instance *c = instantiate(token, path, false, logging, environment, log);
  if (c) c->returns = event_mode && early;
  return c;
}

FMI void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *path,
                                            bool visible, bool logging, void *environment,
                                            logger log, void *clock, void *lock, void *unlock) {
  (void)name, (void)token, (void)path, (void)visible, (void)logging, (void)clock, (void)lock;
  (void)unlock;
  if (log) log(environment, error, "logStatusError", "scheduled execution is not provided");
  return NULL;
}

FMI status fmi3EnterInitializationMode(void *c, bool given, double tolerance, double start,
                                       bool stop_given, double stop) {
  (void)stop_given, (void)stop;
  of(c)->initializing = true;
  return judge(trm_fmu_start(of(c), start, given ? tolerance : 0) && trm_fmu_initialize(of(c)));
}

FMI status fmi3ExitInitializationMode(void *c) {
  of(c)->initializing = false;
  of(c)->running = true;
  return judge(trm_fmu_initialize(of(c)));
}

FMI status fmi3EnterEventMode(void *c) {
  (void)c;
  return ok;
}

FMI status fmi3Terminate(void *c) {
  (void)c;
  return ok;
}

FMI status fmi3Reset(void *c) {
  ((instance *)c)->stopped = false;
  return judge(trm_fmu_reset(of(c)));
}

/* ---- variables: all are Float64 ---- */

FMI status fmi3GetFloat64(void *c, const reference *r, size_t count, double *values, size_t room) {
  if (room < count) return error;
  for (size_t i = 0; i < count; i++)
    if (!trm_fmu_get(of(c), r[i], &values[i])) return error;
  return ok;
}

FMI status fmi3SetFloat64(void *c, const reference *r, size_t count, const double *values,
                          size_t room) {
  if (room < count) return error;
  for (size_t i = 0; i < count; i++)
    if (!trm_fmu_set(of(c), r[i], values[i])) return error;
  return ok;
}

#define NO_VARIABLES(name, type)                                                                   \
  FMI status fmi3Get##name(void *c, const reference *r, size_t count, type *values, size_t room) { \
    (void)r, (void)values, (void)room;                                                             \
    return count == 0 ? ok : refuse(c, "all variables are Float64");                               \
  }                                                                                                \
  FMI status fmi3Set##name(void *c, const reference *r, size_t count, const type *values,          \
                           size_t room) {                                                          \
    (void)r, (void)values, (void)room;                                                             \
    return count == 0 ? ok : refuse(c, "all variables are Float64");                               \
  }

typedef const char *text;
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, bool)
NO_VARIABLES(String, text)

typedef const uint8_t *binary;

FMI status fmi3GetBinary(void *c, const reference *r, size_t count, size_t *sizes, binary *values,
                         size_t room) {
  (void)r, (void)sizes, (void)values, (void)room;
  return count == 0 ? ok : refuse(c, "all variables are Float64");
}

FMI status fmi3SetBinary(void *c, const reference *r, size_t count, const size_t *sizes,
                         const binary *values, size_t room) {
  (void)r, (void)sizes, (void)values, (void)room;
  return count == 0 ? ok : refuse(c, "all variables are Float64");
}

FMI status fmi3GetClock(void *c, const reference *r, size_t count, bool *values) {
  (void)r, (void)values;
  return count == 0 ? ok : refuse(c, "there are no clocks");
}

FMI status fmi3SetClock(void *c, const reference *r, size_t count, const bool *values) {
  (void)r, (void)values;
  return count == 0 ? ok : refuse(c, "there are no clocks");
}

FMI status fmi3GetNumberOfVariableDependencies(void *c, reference r, size_t *count) {
  (void)r, (void)count;
  return refuse(c, "dependencies are not provided: each may depend on all");
}

FMI status fmi3GetVariableDependencies(void *c, reference r, size_t *dependent,
                                       reference *independents, size_t *elements, int *kinds,
                                       size_t count) {
  (void)r, (void)dependent, (void)independents, (void)elements, (void)kinds, (void)count;
  return refuse(c, "dependencies are not provided: each may depend on all");
}

/* ---- states saved and restored ---- */

FMI status fmi3GetFMUState(void *c, void **state) {
  return judge(trm_fmu_state_take(of(c), state));
}

FMI status fmi3SetFMUState(void *c, void *state) {
  return judge(trm_fmu_state_return(of(c), state));
}

FMI status fmi3FreeFMUState(void *c, void **state) {
  (void)c;
  free(*state);
  *state = NULL;
  return ok;
}

FMI status fmi3SerializedFMUStateSize(void *c, void *state, size_t *size) {
  (void)c;
  *size = ((trm_fmu_state *)state)->size;
  return ok;
}

FMI status fmi3SerializeFMUState(void *c, void *state, uint8_t *bytes, size_t size) {
  (void)c;
  return judge(trm_fmu_state_write(state, bytes, size));
}

FMI status fmi3DeserializeFMUState(void *c, const uint8_t *bytes, size_t size, void **state) {
  (void)c;
  return judge(trm_fmu_state_read(bytes, size, state));
}

FMI status fmi3GetDirectionalDerivative(void *c, const reference *unknowns, size_t unknown_count,
                                        const reference *knowns, size_t known_count,
                                        const double *seed, size_t seed_count, double *values,
                                        size_t count) {
  if (seed_count != known_count || count != unknown_count)
    return refuse(c, "all variables are scalar: there is one seed for each known");
  return judge(trm_fmu_along(of(c), unknowns, unknown_count, knowns, known_count, seed, values));
}

FMI status fmi3GetAdjointDerivative(void *c, const reference *unknowns, size_t unknown_count,
                                    const reference *knowns, size_t known_count, const double *seed,
                                    size_t seed_count, double *values, size_t count) {
  if (seed_count != unknown_count || count != known_count)
    return refuse(c, "all variables are scalar: there is one seed for each unknown");
  return judge(trm_fmu_against(of(c), unknowns, unknown_count, knowns, known_count, seed, values));
}

/* ---- structure and clocks: there are none ---- */

FMI status fmi3EnterConfigurationMode(void *c) {
  return refuse(c, "there are no structural parameters");
}

FMI status fmi3ExitConfigurationMode(void *c) {
  return refuse(c, "there are no structural parameters");
}

FMI status fmi3GetIntervalDecimal(void *c, const reference *r, size_t count, double *intervals,
                                  int *qualifiers) {
  (void)r, (void)count, (void)intervals, (void)qualifiers;
  return refuse(c, "there are no clocks");
}

FMI status fmi3GetIntervalFraction(void *c, const reference *r, size_t count, uint64_t *counters,
                                   uint64_t *resolutions, int *qualifiers) {
  (void)r, (void)count, (void)counters, (void)resolutions, (void)qualifiers;
  return refuse(c, "there are no clocks");
}

FMI status fmi3GetShiftDecimal(void *c, const reference *r, size_t count, double *shifts) {
  (void)r, (void)count, (void)shifts;
  return refuse(c, "there are no clocks");
}

FMI status fmi3GetShiftFraction(void *c, const reference *r, size_t count, uint64_t *counters,
                                uint64_t *resolutions) {
  (void)r, (void)count, (void)counters, (void)resolutions;
  return refuse(c, "there are no clocks");
}

FMI status fmi3SetIntervalDecimal(void *c, const reference *r, size_t count,
                                  const double *intervals) {
  (void)r, (void)count, (void)intervals;
  return refuse(c, "there are no clocks");
}

FMI status fmi3SetIntervalFraction(void *c, const reference *r, size_t count,
                                   const uint64_t *counters, const uint64_t *resolutions) {
  (void)r, (void)count, (void)counters, (void)resolutions;
  return refuse(c, "there are no clocks");
}

FMI status fmi3SetShiftDecimal(void *c, const reference *r, size_t count, const double *shifts) {
  (void)r, (void)count, (void)shifts;
  return refuse(c, "there are no clocks");
}

FMI status fmi3SetShiftFraction(void *c, const reference *r, size_t count, const uint64_t *counters,
                                const uint64_t *resolutions) {
  (void)r, (void)count, (void)counters, (void)resolutions;
  return refuse(c, "there are no clocks");
}

FMI status fmi3ActivateModelPartition(void *c, reference clock, double time) {
  (void)clock, (void)time;
  return refuse(c, "there are no clocks");
}

/* ---- model exchange ---- */

FMI status fmi3EvaluateDiscreteStates(void *c) {
  (void)c;
  return ok;
}

FMI status fmi3UpdateDiscreteStates(void *c, bool *again, bool *terminate, bool *nominals,
                                    bool *states, bool *next_defined, double *next) {
  (void)next;
  instance *own = c;
  *again = *nominals = *next_defined = false;
  if (own->exchange) return judge(trm_fmu_handle_events(own->fmu, states, terminate));
  *states = false; /* they are no business of the tool */
  bool good = trm_fmu_fire(own->fmu, terminate);
  own->stopped = *terminate;
  return judge(good);
}

FMI status fmi3EnterContinuousTimeMode(void *c) {
  (void)c;
  return ok;
}

FMI status fmi3CompletedIntegratorStep(void *c, bool no_set_prior, bool *event, bool *terminate) {
  (void)no_set_prior;
  *terminate = false;
  return judge(trm_fmu_complete(of(c), event));
}

FMI status fmi3SetTime(void *c, double t) {
  trm_fmu_set_time(of(c), t);
  return ok;
}

FMI status fmi3SetContinuousStates(void *c, const double *x, size_t count) {
  if (count != (size_t)of(c)->plan.states) return error;
  trm_fmu_set_states(of(c), x);
  return ok;
}

FMI status fmi3GetContinuousStateDerivatives(void *c, double *rates, size_t count) {
  return judge(count == (size_t)of(c)->plan.states && trm_fmu_get_rates(of(c), rates));
}

FMI status fmi3GetEventIndicators(void *c, double *values, size_t count) {
  return judge(count == (size_t)of(c)->plan.events && trm_fmu_get_indicators(of(c), values));
}

FMI status fmi3GetContinuousStates(void *c, double *x, size_t count) {
  if (count != (size_t)of(c)->plan.states || !trm_fmu_initialize(of(c))) return error;
  memcpy(x, of(c)->x, count * sizeof(double));
  return ok;
}

FMI status fmi3GetNominalsOfContinuousStates(void *c, double *nominals, size_t count) {
  (void)c;
  for (size_t i = 0; i < count; i++) nominals[i] = 1;
  return ok;
}

FMI status fmi3GetNumberOfEventIndicators(void *c, size_t *count) {
  *count = (size_t)of(c)->plan.events;
  return ok;
}

FMI status fmi3GetNumberOfContinuousStates(void *c, size_t *count) {
  *count = (size_t)of(c)->plan.states;
  return ok;
}

/* ---- co-simulation ---- */

FMI status fmi3EnterStepMode(void *c) {
  (void)c;
  return ok;
}

FMI status fmi3GetOutputDerivatives(void *c, const reference *r, size_t count, const int *orders,
                                    double *values, size_t room) {
  (void)r, (void)orders, (void)values, (void)room;
  return count == 0 ? ok : refuse(c, "outputs have no derivatives here");
}

FMI status fmi3DoStep(void *c, double t, double step, bool no_set_prior, bool *event,
                      bool *terminate, bool *early, double *reached) {
  (void)no_set_prior;
  instance *own = c;
  bool stopped = own->stopped;
  *event = *early = *terminate = false;
  bool good = stopped || trm_fmu_advance(own->fmu, t + step, &stopped, own->returns ? event : NULL);
  own->stopped = *terminate = stopped;
  *early = (stopped || *event) && own->fmu->t < t + step;
  *reached = own->fmu->t;
  return judge(good);
}

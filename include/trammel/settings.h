/* How to simulate: the keys of `simulate:` in a model file, the options of `trammel run`. */
#ifndef TRAMMEL_SETTINGS_H
#define TRAMMEL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/diagnostics.h>
#include <trammel/export.h>

TRM_BEGIN_C

#define TRM_UNSET (-1.0)

/* Method names are those of `trammel methods`; they point to static strings once set. */
typedef struct trm_settings {
  size_t size;                    /* of this struct, see export.h */
  const char *coordinates;        /* auto, natural, angle, euler-parameters, cartesian, relative */
  const char *solver;             /* auto, udwadia-kalaba, udwadia-kalaba-general, augmented */
  const char *stabilization;      /* direct, partition, embedded, baumgarte, none */
  const char *weighting;          /* of direct: mass, none */
  const char *energy;             /* free, conserve */
  const char *integrator;         /* auto, rk4, rk6, ab2 … ab6, dop853, bdf, three-field, … */
  const char *stepping;           /* auto, variable, fixed */
  const char *linear;             /* matrices: auto, dense, sparse */
  const char *constraint_inertia; /* of three-field: true, false */
  double duration;                /* s */
  double step;        /* TRM_UNSET: 1e-3; variable-step methods: the largest one, TRM_UNSET: none */
  double output_step; /* 0: every step, at most 1000 rows */
  double tolerance;   /* on ‖C‖ */
  double alpha, beta; /* of baumgarte; TRM_UNSET: from the motion */
  double rtol, atol; /* local error of variable-step methods; TRM_UNSET: see trm_settings_resolve */
  double threads; /* 1 … 256, the results are the same; TRM_UNSET: all cores for large models */
  double spectral_radius; /* of generalized-alpha, 0 … 1 */
  char conserve[64];      /* the measure kept by energy: conserve; empty: the energy */
} trm_settings;

TRM_API void trm_settings_init(trm_settings *defaults, size_t size);
static inline trm_settings trm_default_settings(void) {
  trm_settings defaults;
  trm_settings_init(&defaults, sizeof defaults);
  return defaults;
}

/* Sets one key from text ("step", "1e-3"). An unknown key or value is reported and TRM_BAD_USAGE
 * returned. */
TRM_API trm_status trm_settings_set(trm_settings *settings, const char *key, const char *value,
                                    trm_diagnostics *diagnostics);

/* Ranges and combinations: step > 0, duration ≥ 0, … */
TRM_API trm_status trm_settings_check(const trm_settings *settings, trm_diagnostics *diagnostics);

/* What a simulation makes of good ones: integrator auto becomes dop853 (which a simulation leaves
 * for radau5 where the motion is stiff, if it was auto before), or rk4 where a step is given;
 * tolerances that are not set 1e-6 and 1e-9, with auto 1e-10 and 1e-13. */
TRM_API void trm_settings_resolve_into(const trm_settings *settings, trm_settings *resolved,
                                       size_t size);
static inline trm_settings trm_settings_resolve(const trm_settings *settings) {
  trm_settings resolved;
  trm_settings_resolve_into(settings, &resolved, sizeof resolved);
  return resolved;
}

/* The keys, for help texts and completion. */
typedef struct trm_key {
  const char *name;     /* "output-step" */
  const char *argument; /* "H" */
  const char *help;     /* one line */
} trm_key;
TRM_API int trm_key_count(void);
TRM_API const trm_key *trm_key_get(int index);

/* The methods: one line on when to use each. */
typedef struct trm_method {
  const char *key;  /* "integrator" */
  const char *name; /* "ab6" */
  const char *when;
  bool planar_only;
  bool spatial_only;
} trm_method;
TRM_API int trm_method_count(void);
TRM_API const trm_method *trm_method_get(int index);
/* Whether an integrator chooses its steps by rtol and atol; false for unknown names. */
TRM_API bool trm_integrator_is_variable(const char *name);
/* … whether these settings have it so. */
TRM_API bool trm_settings_is_variable(const trm_settings *settings);

TRM_END_C

#endif

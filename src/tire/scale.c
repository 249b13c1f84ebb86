/* Tires that scatter: the scaling coefficients of a property file, multiplied. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tire/tire.h"

typedef struct coefficient {
  const char *name;
  size_t offset;
  double low, high;
} coefficient;

#define KEY(name, value, unit, low, high) {#name, offsetof(trm_tire, name), low, high},
static const coefficient coefficients[] = {TRM_TIRE_SCALING(KEY)};
#undef KEY
enum { COUNT = sizeof coefficients / sizeof *coefficients };

static const coefficient *find(const char *name) {
  for (int k = 0; k < COUNT; k++)
    if (strcasecmp(coefficients[k].name, name) == 0) return &coefficients[k];
  return NULL;
}

static trm_tire *copy(const trm_tire *tire) {
  size_t curve = 3 * (size_t)tire->curve_count;
  trm_tire *other = malloc(sizeof *other);
  if (!other) return NULL;
  *other = *tire;
  other->curve_at = curve ? malloc(curve * sizeof *other->curve_at) : NULL;
  if (curve && !other->curve_at) {
    free(other);
    return NULL;
  }
  if (curve) {
    memcpy(other->curve_at, tire->curve_at, curve * sizeof *other->curve_at);
    other->curve_load = other->curve_at + tire->curve_count;
    other->curve_slope = other->curve_load + tire->curve_count;
  }
  return other;
}

static bool multiply(trm_tire *tire, const char *name, double factor, char *reason, size_t size) {
  const coefficient *c = find(name);
  if (tire->format != TRM_TIRE_PAC2002) {
    snprintf(reason, size, "a tire of the form of 1989 has no scaling coefficients");
    return false;
  }
  if (!c) {
    snprintf(reason, size,
             "a tire has no scaling coefficient '%.40s'; those of its file are LKY, LMUY, LKX, "
             "LMUX, LTR and others: see [SCALING_COEFFICIENTS]",
             name);
    return false;
  }
  double *value = (double *)(void *)((char *)tire + c->offset);
  *value *= factor;
  if (*value >= c->low && *value <= c->high && isfinite(*value)) return true;
  snprintf(reason, size, "%s is %g, it must be %s", c->name, *value,
           c->low > 0 ? "positive" : "0 or more");
  return false;
}

trm_tire *trm_tire_scaled(const trm_tire *tire, int count, const char *const *names,
                          const double *factors, int *wrong, char *reason, size_t size) {
  trm_tire *other = copy(tire);
  *wrong = -1;
  for (int k = 0; other && k < count; k++) {
    if (multiply(other, names[k], factors[k], reason, size)) continue;
    *wrong = k;
    trm_tire_destroy(other);
    return NULL;
  }
  if (other) trm_tire_prepare_grip(other);
  return other;
}

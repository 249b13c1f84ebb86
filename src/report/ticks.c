/* Ticks at nice numbers. */
#include "report/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLACK 1e-9 /* relative: a tick at the end of the range belongs to it */

enum { PLAIN_LOW = -4, PLAIN_HIGH = 5 }; /* powers of ten written out */

static void add(trm_ticks *ticks, double value, bool labelled) {
  if (ticks->count == TRM_MOST_TICKS) return;
  ticks->at[ticks->count] = value;
  ticks->labelled[ticks->count++] = labelled;
}

/* The smallest of 1, 2, 5 times a power of ten that gives no more than `wanted` steps. */
static double nice_step(double range, int wanted) {
  double rough = range / wanted, power = pow(10, floor(log10(rough)));
  static const double factors[] = {1, 2, 5};
  for (int k = 0; k < 3; k++)
    if (factors[k] * power >= rough * (1 - SLACK)) return factors[k] * power;
  return 10 * power;
}

void trm_ticks_linear(trm_ticks *ticks, double low, double high, int wanted) {
  double step = nice_step(high - low, wanted), size = fmax(fabs(low), fabs(high));
  *ticks = (trm_ticks){.step = step, .plain = step >= 0.99e-4 && size < 1e6};
  double first = ceil(low / step - SLACK), last = floor(high / step + SLACK);
  for (double k = first; k <= last && ticks->count < TRM_MOST_TICKS; k++)
    add(ticks, k == 0 ? 0 : k * step, true); /* no −0 */
}

/* 2 and 5 of every decade have labels where there are few decades. */
static void add_between(trm_ticks *ticks, double low, double high, int power, bool labels) {
  for (int factor = 2; factor < 10; factor++) {
    double value = factor * pow(10, power);
    if (value >= low * (1 - SLACK) && value <= high * (1 + SLACK))
      add(ticks, value, labels && (factor == 2 || factor == 5));
  }
}

static int count_labels(const trm_ticks *ticks) {
  int count = 0;
  for (int k = 0; k < ticks->count; k++) count += ticks->labelled[k];
  return count;
}

static int floor_divide(int a, int b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

void trm_ticks_log(trm_ticks *ticks, double low, double high, int wanted) {
  *ticks = (trm_ticks){0};
  double decades = log10(high) - log10(low);
  int first = (int)floor(log10(low) + SLACK), last = (int)floor(log10(high) + SLACK);
  int stride = (int)ceil(decades / wanted);
  if (stride < 1) stride = 1;
  /* multiples of the stride, so that 1 stays among them */
  for (int k = floor_divide(first, stride) * stride; k <= last; k += stride) {
    double value = pow(10, k);
    if (value >= low * (1 - SLACK)) add(ticks, value, true);
    if (stride == 1) add_between(ticks, low, high, k, decades < 2.5);
  }
  if (count_labels(ticks) < 3 && decades < 1) trm_ticks_linear(ticks, low, high, wanted);
  if (ticks->step == 0) ticks->plain = first >= PLAIN_LOW && last < PLAIN_HIGH;
}

static void append(char label[TRM_TICK_LABEL], const char *text) {
  size_t used = strlen(label);
  snprintf(label + used, TRM_TICK_LABEL - used, "%s", text);
}

static void append_power(char label[TRM_TICK_LABEL], int power) {
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  char text[16];
  snprintf(text, sizeof text, "%d", power);
  append(label, "10");
  for (const char *c = text; *c; c++) append(label, *c == '-' ? "⁻" : digits[*c - '0']);
}

static void append_number(char label[TRM_TICK_LABEL], double value, int decimals) {
  char text[TRM_TICK_LABEL];
  snprintf(text, sizeof text, "%.*f", decimals > 15 ? 15 : decimals, value);
  append(label, text);
}

static int power_of(double value) {
  return (int)floor(log10(value) + SLACK);
}

void trm_tick_label(const trm_ticks *ticks, double value, char label[TRM_TICK_LABEL]) {
  label[0] = 0;
  if (value == 0) {
    append(label, "0");
    return;
  }
  if (value < 0) append(label, "−");
  value = fabs(value);
  int power = power_of(value);
  /* as many decimals as the step has: 0.5, 1.0, 1.5 */
  int finest = ticks->step > 0 ? power_of(ticks->step) : power;
  if (ticks->plain) {
    append_number(label, value, finest < 0 ? -finest : 0);
    return;
  }
  double mantissa = value / pow(10, power);
  if (ticks->step > 0 || fabs(mantissa - 1) > SLACK) {
    append_number(label, mantissa, power > finest ? power - finest : 0);
    append(label, "×");
  }
  append_power(label, power);
}

/* Where an axis has its ticks, and what stands there. */
#ifndef TRM_REPORT_TICKS_H
#define TRM_REPORT_TICKS_H

#include <stdbool.h>
#include <stddef.h>

enum { TRM_MOST_TICKS = 128, TRM_TICK_LABEL = 32 };

typedef struct trm_ticks {
  int count;
  double at[TRM_MOST_TICKS];     /* increasing, within the range */
  bool labelled[TRM_MOST_TICKS]; /* the others are minor ones */
  double step;                   /* between labelled ones of a linear axis, else 0 */
  bool plain;                    /* 0.01 rather than a power of ten */
} trm_ticks;

/* low < high, both below 1e300 in size; about `wanted` labelled ticks at 1, 2 or 5 times a power of
 * ten. */
void trm_ticks_linear(trm_ticks *ticks, double low, double high, int wanted);
/* 0 < low < high: powers of ten; 1, 2, 5 times them in a short range, linear in a tiny one. */
void trm_ticks_log(trm_ticks *ticks, double low, double high, int wanted);

/* "0.25", "2×10⁻⁷", "10⁻³" */
void trm_tick_label(const trm_ticks *ticks, double value, char label[TRM_TICK_LABEL]);

#endif

/* Central differences with Ridders' extrapolation. */
#include "math/difference.h"

#include <math.h>

enum { LEVELS = TRM_DIFFERENCE_LEVELS, ATTEMPTS = 20 };

static bool central(trm_function function, void *context, double h, int count, double *behind,
                    double *out) {
  if (!function(context, h, out) || !function(context, -h, behind)) return false;
  for (int i = 0; i < count; i++) out[i] = (out[i] - behind[i]) / (2 * h);
  return true;
}

/* Errors are even in h: column k of the table has order 2 k + 2. The entry is best that differs
 * least from those it is made of. */
static double extrapolate(const double *first, int stride, int i) {
  double row[LEVELS] = {0}, best = first[i], least = INFINITY;
  for (int level = 0; level < LEVELS; level++) {
    double above = row[0], factor = 1;
    row[0] = first[level * stride + i];
    for (int k = 1; k <= level; k++) {
      factor *= 4;
      double next = row[k - 1] + (row[k - 1] - above) / (factor - 1);
      double error = fmax(fabs(next - row[k - 1]), fabs(next - above));
      if (error < least) {
        least = error;
        best = next;
      }
      above = row[k];
      row[k] = next;
    }
  }
  return best;
}

bool trm_difference(trm_function function, void *context, double step, int count, double *room,
                    double *slope) {
  int done = 0;
  for (int attempt = 0; attempt < ATTEMPTS && done < LEVELS; attempt++, step /= 4) {
    double h = step;
    for (done = 0; done < LEVELS; done++, h /= 2)
      if (!central(function, context, h, count, room + LEVELS * count, room + done * count)) break;
  }
  if (done < LEVELS) return false;
  for (int i = 0; i < count; i++) slope[i] = extrapolate(room, count, i);
  return true;
}

/* Regula falsi in the Illinois form, halving every third time: a formula may jump. */
#include "integrator/search.h"

#include <math.h>

static double choose(const trm_bracket *at, double resolution, int tries) {
  double least = resolution / 2, width = at->high - at->low;
  double share = at->below / (at->below - at->above);
  if (tries % 3 == 2 || !(share >= 0 && share <= 1)) share = 0.5;
  return at->low + fmin(fmax(share * width, least), width - least);
}

bool trm_search(trm_bracket *at, double resolution, double share, trm_depth *depth, void *of) {
  double start = at->low, found;
  int side = 0; /* of the last one */
  for (int tries = 0; at->above > 0; tries++) {
    if (!(at->high - at->low > resolution + share * (at->low - start))) break;
    at->seen = choose(at, resolution, tries);
    if (!depth(of, &at->seen, &found)) return false;
    if (found > 0) {
      at->high = at->seen;
      at->above = found;
      if (side > 0) at->below /= 2;
      side = 1;
    } else if (at->seen > at->low) {
      at->low = at->seen;
      at->below = found;
      if (side < 0) at->above /= 2;
      side = -1;
    } else {
      break;
    }
  }
  return true;
}

/* "Did you mean …?" */
#include "cli.h"

#include <string.h>

enum { LONGEST = 48 };

static int smaller(int a, int b) {
  return a < b ? a : b;
}

/* Letters to insert, delete, replace or swap with their neighbour to make `a` into `b`. */
static int edit_distance(const char *a, const char *b) {
  int d[LONGEST + 1][LONGEST + 1];
  int rows = (int)strlen(a), columns = (int)strlen(b);
  for (int i = 0; i <= rows; i++) d[i][0] = i;
  for (int j = 0; j <= columns; j++) d[0][j] = j;
  for (int i = 1; i <= rows; i++)
    for (int j = 1; j <= columns; j++) {
      d[i][j] = smaller(d[i - 1][j], d[i][j - 1]) + 1;
      d[i][j] = smaller(d[i][j], d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[rows][columns];
}

const char *trm_cli_nearest(const char *word, const char *const *candidates, int count) {
  const char *best = NULL;
  if (strlen(word) > LONGEST) return NULL;
  int best_distance = 1 + (int)strlen(word) / 2; /* beyond half of it nothing was meant */
  for (int k = 0; k < count; k++) {
    if (strlen(candidates[k]) > LONGEST) continue;
    int distance = edit_distance(word, candidates[k]);
    if (distance >= best_distance) continue;
    best = candidates[k];
    best_distance = distance;
  }
  return best;
}

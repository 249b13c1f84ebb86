/* Rows over translations and turns. */
#include "math/twist.h"

#include <stddef.h>
#include <string.h>

#include "math/axes.h"

enum { MOST_SPIN = 9, MOST_FREE = 3 };
static const double vanished = 1e-8; /* of a row's norm */
/* Radians that count like a translation by the model's length: a slender rod of that length then
 * has as much energy in one as in the other, which is how the equations weigh them. */
static const double turn_unit = 3.4641016151377546; /* √12 */

static int free_width(const trm_structure *s, int b) {
  return trm_block_width(s, b) - s->intrinsic;
}

bool trm_twist_lay_out(trm_structure *to, trm_arena *arena, const trm_structure *s) {
  int blocks = s->blocks, first = blocks * s->intrinsic, count = 0;
  int *q_start = TRM_NEW(arena, int, blocks + 1), *panel_value = TRM_NEW(arena, int, blocks + 1);
  int *panel_start = TRM_NEW(arena, int, blocks + 1);
  int *panel_row = TRM_NEW(arena, int, s->panel_start[blocks] + 1);
  if (trm_arena_failed(arena)) return false;
  for (int b = 0; b < blocks; b++) {
    for (int p = s->panel_start[b] + s->intrinsic; p < s->panel_start[b + 1]; p++)
      panel_row[count++] = s->panel_row[p] - first;
    q_start[b + 1] = q_start[b] + free_width(s, b);
    panel_start[b + 1] = count;
    panel_value[b + 1] = panel_value[b] + (panel_start[b + 1] - panel_start[b]) * free_width(s, b);
  }
  *to = (trm_structure){.n = q_start[blocks],
                        .m = s->m - first,
                        .blocks = blocks,
                        .q_start = q_start,
                        .panel_start = panel_start,
                        .panel_row = panel_row,
                        .panel_value = panel_value,
                        .weight = s->weight + first};
  return true;
}

bool trm_twist_create(trm_twist *twist, trm_arena *arena, const trm_structure *s) {
  *twist = (trm_twist){.from = s, .first = s->blocks * s->intrinsic};
  if (!trm_twist_lay_out(&twist->rows, arena, s)) return false;
  twist->G = TRM_NEW(arena, double, twist->rows.panel_value[s->blocks] + 1);
  twist->whole = TRM_NEW(arena, double, twist->rows.m + 1);
  twist->left = TRM_NEW(arena, double, twist->rows.m + 1);
  return twist->G && twist->whole && twist->left;
}

/* How far one unit of a coordinate goes. */
static double span_of(const trm_structure *s, int coordinate) {
  return s->span ? s->span[coordinate] : 1;
}

/* Columns that turn the block about its axes, `spin` entries each. */
static const double *turns_of(const trm_structure *s, int b, double *room) {
  int width = trm_block_width(s, b), spin = width - s->plain;
  if (!s->axes) return s->tangent + (ptrdiff_t)b * spin * spin;
  trm_axes_turns(s->plain, *s->axes + (ptrdiff_t)b * width + s->plain, room);
  return room;
}

/* A row that only repeats what blocks forbid themselves leaves round-off: of a size that means
 * nothing, in a direction that means nothing. */
static void clear_vanished(trm_twist *twist, const double *whole) {
  const trm_structure *rows = &twist->rows;
  double *left = twist->left;
  memset(left, 0, (size_t)rows->m * sizeof *left);
  for (int pass = 0; pass < 2; pass++)
    for (int b = 0; b < rows->blocks; b++) {
      int width = trm_block_width(rows, b);
      double *G = twist->G + rows->panel_value[b];
      for (int p = rows->panel_start[b]; p < rows->panel_start[b + 1]; p++, G += width) {
        int row = rows->panel_row[p];
        if (pass == 0)
          left[row] += trm_pair_dot(width, G, G);
        else if (left[row] <= vanished * vanished * whole[row])
          memset(G, 0, (size_t)width * sizeof *G);
      }
    }
}

void trm_twist_fill(trm_twist *twist, const double *Cq) {
  const trm_structure *s = twist->from;
  double *G = twist->G, *whole = twist->whole;
  memset(whole, 0, (size_t)twist->rows.m * sizeof *whole);
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), plain = s->intrinsic > 0 ? s->plain : width;
    double room[MOST_SPIN * MOST_FREE];
    const double *T = s->intrinsic > 0 ? turns_of(s, b, room) : NULL;
    const double *row = Cq + s->panel_value[b] + s->intrinsic * width;
    for (int p = s->panel_start[b] + s->intrinsic; p < s->panel_start[b + 1]; p++, row += width) {
      double *square = &whole[s->panel_row[p] - twist->first];
      for (int i = 0; i < width; i++) {
        double part = row[i] * span_of(s, s->q_start[b] + i);
        *square += part * part;
      }
      for (int i = 0; i < plain; i++) *G++ = row[i] * span_of(s, s->q_start[b] + i);
      for (int k = 0; k < width - s->intrinsic - plain; k++) {
        const double *turn = T + k * (width - plain);
        double sum = 0;
        for (int i = plain; i < width; i++) sum += row[i] * turn[i - plain];
        *G++ = turn_unit * sum;
      }
    }
  }
  if (s->intrinsic > 0) clear_vanished(twist, whole);
}

/* The turns' columns are orthogonal, or nearly so, and of one length. */
void trm_twist_of(const trm_twist *twist, const double *x, double *y) {
  const trm_structure *s = twist->from;
  for (int b = 0; b < s->blocks; b++) {
    int width = trm_block_width(s, b), plain = s->intrinsic > 0 ? s->plain : width,
        at = s->q_start[b];
    double room[MOST_SPIN * MOST_FREE];
    const double *T = s->intrinsic > 0 ? turns_of(s, b, room) : NULL;
    for (int i = 0; i < plain; i++) *y++ = x[at + i] / span_of(s, at + i);
    for (int k = 0; k < width - s->intrinsic - plain; k++) {
      const double *turn = T + k * (width - plain);
      double sum = 0, square = 0;
      for (int i = plain; i < width; i++) {
        sum += x[at + i] * turn[i - plain];
        square += turn[i - plain] * turn[i - plain];
      }
      *y++ = square > 0 ? sum / (turn_unit * square) : 0;
    }
  }
}

/* x[width]: the rates of a block that satisfy its intrinsic rows and do not turn it */
static void satisfy_intrinsic(const trm_structure *s, int b, const double *g, double *x) {
  int width = trm_block_width(s, b), spin = width - s->plain;
  memset(x, 0, (size_t)width * sizeof *x);
  if (s->axes) {
    double duals[MOST_SPIN];
    trm_axes_duals(s->plain, *s->axes + (ptrdiff_t)b * width + s->plain, duals);
    trm_axes_deform(s->plain, duals, g, x + s->plain);
    return;
  }
  const double *deform = s->tangent + (ptrdiff_t)b * spin * spin + (spin - s->intrinsic) * spin;
  for (int r = 0; r < s->intrinsic; r++, deform += spin) trm_axpy(spin, g[r], deform, x + s->plain);
}

void trm_twist_gap(const trm_twist *twist, const double *Cq, const double *g, double *left) {
  const trm_structure *s = twist->from;
  memcpy(left, g + twist->first, (size_t)twist->rows.m * sizeof *left);
  for (int b = 0; b < s->blocks && s->intrinsic > 0; b++) {
    int width = trm_block_width(s, b);
    double x[MOST_SPIN + 3];
    const double *row = Cq + s->panel_value[b] + s->intrinsic * width;
    satisfy_intrinsic(s, b, g + (ptrdiff_t)b * s->intrinsic, x);
    for (int p = s->panel_start[b] + s->intrinsic; p < s->panel_start[b + 1]; p++, row += width)
      left[s->panel_row[p] - twist->first] -= trm_pair_dot(width, row, x);
  }
}

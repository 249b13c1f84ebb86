/* Tables: curves through points and surfaces over grids, smooth or of straight pieces. */
#ifndef TRM_EXPRESSION_TABLE_H
#define TRM_EXPRESSION_TABLE_H

#include <stdatomic.h>

#include "expression/expression.h"

typedef enum trm_outside {
  TRM_OUTSIDE_ERROR,
  TRM_OUTSIDE_HOLD,  /* the value at the edge */
  TRM_OUTSIDE_EXTEND /* straight on from the edge */
} trm_outside;

typedef struct trm_table_options {
  bool linear;  /* between points, else a twice continuously differentiable cubic */
  bool quintic; /* a curve four times continuously differentiable */
  trm_outside outside;
} trm_table_options;

typedef struct trm_table {
  atomic_int sharers; /* formulas that hold it, but one */
  trm_table_options options;
  char *name;      /* of the file, "" where it is written out */
  int count, rows; /* arguments x, and y of a surface; rows = 0: a curve */
  double *x, *y;
  int terms;       /* curve: 4, or 6 of a quintic */
  double *piece;   /* curve [count − 1][terms]: c0 + u (c1 + u (c2 + u c3)), u = x − x[i] */
  double *node;    /* surface [rows][count][4]: z, ∂z/∂x, ∂z/∂y, ∂²z/∂x∂y */
  double slack[2]; /* a clock that adds up its steps may pass the last point by round-off */
} trm_table;

/* Value, first and second derivatives of a surface. */
typedef struct trm_patch {
  double f, x, y, xx, xy, yy;
} trm_patch;

/* The points as they come in: x0, y0, x1, y1, ... */
typedef struct trm_points {
  double *xy;
  size_t count, capacity; /* numbers, two per point */
} trm_points;

bool trm_points_add(trm_points *points, double number); /* false: no memory */
void trm_points_free(trm_points *points);

/* A rectangle of numbers by rows; its first row and column may be arguments. */
typedef struct trm_grid {
  trm_points numbers;
  size_t columns;
} trm_grid;

/* A piece of a formula's text. */
typedef struct trm_word {
  const char *text;
  size_t length;
} trm_word;

/* table_file.c: each false with the reason in `message`. A file whose numbers lie on the shelf is
 * not read again. */
/* x and another column of a CSV file, the second where none is named. */
bool trm_points_read(trm_points *points, trm_shelf *shelf, const char *folder, trm_word file,
                     trm_word column, char *message, size_t size);
bool trm_points_are_kept(const trm_shelf *shelf, const char *folder, trm_word file,
                         trm_word column);
/* The corner of the grid, whatever stands there in the file, is zero. */
bool trm_grid_read(trm_grid *grid, trm_shelf *shelf, const char *folder, trm_word file,
                   char *message, size_t size);

/* NULL with the reason in `message`: too few points, or arguments that do not increase. */
trm_table *trm_table_create(const trm_points *points, trm_word name, trm_table_options options,
                            char *message, size_t size);
trm_table *trm_surface_create(const trm_grid *grid, trm_word name, trm_table_options options,
                              char *message, size_t size);
trm_table *trm_table_share(trm_table *table); /* one holder more */
void trm_table_destroy(trm_table *table);     /* by the last holder; accepts NULL */

/* Slopes of the not-a-knot cubic spline; work [n]. */
void trm_spline_slopes(int n, const double *x, const double *y, double *slope, double *work);
/* quintic.c: slopes and second derivatives of the spline of degree five whose fifth derivative
 * does not jump at the two points next to each end; of six points or more. False: no memory. */
bool trm_quintic_slopes(int n, const double *x, const double *y, double *slope, double *bend);
/* The interval of x, 0 … count − 2: the first or last where it is outside. */
int trm_table_interval(const double *x, int count, double at);

/* Value, first and second derivative in x; NaN where the table may not be left. */
trm_jet trm_table_jet(const trm_table *table, double x);
trm_patch trm_surface_patch(const trm_table *table, double x, double y);
trm_jet trm_surface_jet(const trm_table *table, trm_jet x, trm_jet y);

/* Whether a first derivative jumps; where only the second does there is no kink. */
bool trm_table_has_kinks(const trm_table *table);
bool trm_table_is_smooth(const trm_table *table);
/* A number that stays the same on one piece. */
unsigned trm_table_piece(const trm_table *table, double x, double y);
/* Of a curve, as if it were on that piece everywhere. */
trm_jet trm_table_jet_on(const trm_table *table, unsigned piece, double x);
/* "x = 3 is outside the table 'f.csv', which goes from 0 to 2"; false where it is inside. */
bool trm_table_explain(const trm_table *table, double x, double y, char *text, size_t size);

#endif

/* Tables: a twice continuously differentiable cubic through given points. */
#ifndef TRM_EXPRESSION_TABLE_H
#define TRM_EXPRESSION_TABLE_H

#include "expression/expression.h"

typedef struct trm_table trm_table;

/* The points as they come in: x0, y0, x1, y1, ... */
typedef struct trm_points {
  double *xy;
  size_t count, capacity; /* numbers, two per point */
} trm_points;

bool trm_points_add(trm_points *points, double number); /* false: no memory */
void trm_points_free(trm_points *points);

/* Appends the points of a CSV file; false with the reason in `message`. */
bool trm_points_read(trm_points *points, const char *folder, const char *name, size_t length,
                     char *message, size_t size);

/* NULL with the reason in `message`: fewer than two points, or x not strictly increasing. */
trm_table *trm_table_create(const trm_points *points, char *message, size_t size);
void trm_table_destroy(trm_table *table); /* accepts NULL */

void trm_table_range(const trm_table *table, double *first, double *last);
/* Value, first and second derivative in x; NaN outside the range. */
trm_jet trm_table_jet(const trm_table *table, double x);

#endif

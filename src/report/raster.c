/* Marks to pixels, with smooth edges: a pixel is covered by as much as its centre lies inside. */
#include <math.h>
#include <stdlib.h>

#include "report/picture.h"

typedef struct canvas {
  int width, height;
  unsigned char *pixels;
} canvas;

static void blend(const canvas *c, int x, int y, unsigned color, double part) {
  if (x < 0 || y < 0 || x >= c->width || y >= c->height || part <= 0) return;
  unsigned char *pixel = c->pixels + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
  if (part > 1) part = 1;
  for (int k = 0; k < 3; k++) {
    double value = (double)(color >> (16 - 8 * k) & 255);
    pixel[k] = (unsigned char)(pixel[k] + part * (value - pixel[k]) + 0.5);
  }
}

static double clamp(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}

/* Distance from a segment tells how far inside a rounded line a pixel is. */
static void segment(const canvas *c, const double a[2], const double b[2], const trm_mark *m) {
  double radius = fmax(m->width, 1) / 2, dx = b[0] - a[0], dy = b[1] - a[1];
  double size = dx * dx + dy * dy, thin = fmin(m->width, 1) * m->opacity;
  if (!isfinite(size)) return;
  int top = (int)clamp(fmin(a[1], b[1]) - radius - 1, 0, c->height);
  int bottom = (int)clamp(fmax(a[1], b[1]) + radius + 2, 0, c->height);
  for (int y = top; y < bottom; y++) {
    /* the part of the row that the line can reach */
    double low = fmin(a[0], b[0]), high = fmax(a[0], b[0]);
    if (fabs(dy) > 1) {
      double s0 = clamp((y - 2 - radius - a[1]) / dy, 0, 1),
             s1 = clamp((y + 3 + radius - a[1]) / dy, 0, 1);
      low = fmin(a[0] + s0 * dx, a[0] + s1 * dx);
      high = fmax(a[0] + s0 * dx, a[0] + s1 * dx);
    }
    int left = (int)clamp(low - radius - 2, 0, c->width),
        right = (int)clamp(high + radius + 3, 0, c->width);
    for (int x = left; x < right; x++) {
      double px = x + 0.5 - a[0], py = y + 0.5 - a[1];
      double s = size > 0 ? clamp((px * dx + py * dy) / size, 0, 1) : 0;
      double distance = hypot(px - s * dx, py - s * dy);
      blend(c, x, y, m->color, thin * clamp(radius + 0.5 - distance, 0, 1));
    }
  }
}

static void disc(const canvas *c, const double at[2], const trm_mark *m) {
  double reach = m->radius + m->width / 2 + 1;
  if (!isfinite(at[0] + at[1] + reach)) return;
  int top = (int)clamp(at[1] - reach, 0, c->height),
      bottom = (int)clamp(at[1] + reach + 1, 0, c->height);
  int left = (int)clamp(at[0] - reach, 0, c->width),
      right = (int)clamp(at[0] + reach + 1, 0, c->width);
  for (int y = top; y < bottom; y++)
    for (int x = left; x < right; x++) {
      double distance = hypot(x + 0.5 - at[0], y + 0.5 - at[1]);
      if (!m->hollow)
        blend(c, x, y, m->color, m->opacity * clamp(m->radius + 0.5 - distance, 0, 1));
      if (m->width > 0)
        blend(c, x, y, m->rim,
              m->opacity * clamp(m->width / 2 + 0.5 - fabs(distance - m->radius), 0, 1));
    }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { SUB = 4 /* lines in a row of pixels */, MOST_CROSSINGS = 64 };

/* Where a horizontal line crosses the polygon's edges. */
static int crossings(const double (*points)[2], int count, double y, double *x) {
  int found = 0;
  for (int i = 0; i < count && found < MOST_CROSSINGS; i++) {
    const double *a = points[i], *b = points[(i + 1) % count];
    if ((a[1] <= y) == (b[1] <= y)) continue;
    x[found++] = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
  }
  qsort(x, (size_t)found, sizeof *x, ascending);
  return found;
}

static void cover(const canvas *c, double from, double to, double *row) {
  from = clamp(from, 0, c->width);
  to = clamp(to, 0, c->width);
  for (int x = (int)from; x < c->width && x < to; x++)
    row[x] += (fmin(to, x + 1) - fmax(from, x)) / SUB;
}

static void area(const canvas *c, const double (*points)[2], const trm_mark *m, double *row) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < m->count; i++) {
    if (!isfinite(points[i][0] + points[i][1])) return;
    low = fmin(low, points[i][1]);
    high = fmax(high, points[i][1]);
  }
  int bottom = (int)clamp(high + 1, 0, c->height);
  for (int y = (int)clamp(low, 0, c->height); y < bottom; y++) {
    for (int x = 0; x < c->width; x++) row[x] = 0;
    for (int k = 0; k < SUB; k++) {
      double x[MOST_CROSSINGS];
      int count = crossings(points, m->count, y + (k + 0.5) / SUB, x);
      for (int i = 0; i + 1 < count; i += 2) cover(c, x[i], x[i + 1], row);
    }
    for (int x = 0; x < c->width; x++)
      if (row[x] > 0) blend(c, x, y, m->color, m->opacity * row[x]);
  }
}

void trm_picture_raster(const trm_picture *picture, int width, int height, unsigned background,
                        unsigned char *pixels) {
  canvas c = {width, height, pixels};
  double *row = malloc((size_t)width * sizeof *row);
  for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
    for (int k = 0; k < 3; k++)
      pixels[3 * i + (size_t)k] = (unsigned char)(background >> (16 - 8 * k));
  for (int i = 0; i < picture->mark_count; i++) {
    const trm_mark *m = &picture->marks[i];
    const double(*points)[2] = (const double(*)[2])picture->points + m->first;
    if (m->kind == TRM_MARK_DISC) disc(&c, points[0], m);
    if (m->kind == TRM_MARK_AREA && row) area(&c, points, m, row);
    for (int k = 0; m->kind == TRM_MARK_LINE && k + 1 < m->count; k++)
      segment(&c, points[k], points[k + 1], m);
  }
  free(row);
}

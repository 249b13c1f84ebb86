/* From points to a path of few commands, whatever their number. */
#include "report/curve.h"

#include <math.h>
#include <stdio.h>

enum { MOST_MARKERS = 200 }; /* of more points every second, third … has one */

typedef struct point {
  double x, y;
} point;

typedef struct pen {
  trm_output *output;
  point low, high;   /* of the frame, pixels */
  point at;          /* where it is */
  bool placed;       /* the line has begun */
  bool down;         /* the path ends where it is */
  size_t drawn;      /* points of this line */
  point first, last; /* of the column of pixels at hand; then the lowest and highest */
  point least, most;
  bool least_first; /* the order in which they came */
  bool column;      /* there is one at hand */
} pen;

static void command(pen *p, char letter, point to) {
  char text[64];
  snprintf(text, sizeof text, "%c%.2f %.2f", letter, to.x, to.y);
  trm_output_text(p->output, text);
}

static bool is_inside(const pen *p, point at) {
  return at.x >= p->low.x && at.x <= p->high.x && at.y >= p->low.y && at.y <= p->high.y;
}

/* Liang-Barsky: what of the way from a + [from, to] d lies on the right side of one edge. */
static bool cut(double d, double room, double *from, double *to) {
  if (d == 0) return room >= 0;
  double part = room / d;
  if (d < 0)
    *from = fmax(*from, part);
  else
    *to = fmin(*to, part);
  return *from <= *to;
}

/* Where the way is cut. Round-off of very long ways stays inside. */
static point way_point(const pen *p, point a, point d, double part) {
  return (point){fmin(fmax(a.x + part * d.x, p->low.x), p->high.x),
                 fmin(fmax(a.y + part * d.y, p->low.y), p->high.y)};
}

static void draw(pen *p, point to) {
  point a = p->at, d = {to.x - a.x, to.y - a.y};
  double from = 0, until = 1;
  bool seen = cut(-d.x, a.x - p->low.x, &from, &until) &&
              cut(d.x, p->high.x - a.x, &from, &until) &&
              cut(-d.y, a.y - p->low.y, &from, &until) && cut(d.y, p->high.y - a.y, &from, &until);
  if (!seen) {
    p->down = false;
    return;
  }
  if (!p->down || from > 0) command(p, 'M', way_point(p, a, d, from));
  command(p, 'L', until < 1 ? way_point(p, a, d, until) : to);
  p->down = until >= 1;
}

static void go_to(pen *p, point to) {
  if (p->placed && (to.x != p->at.x || to.y != p->at.y)) {
    draw(p, to);
    p->drawn++;
  }
  p->placed = true;
  p->at = to;
}

/* First, lowest and highest in their order, last: the same picture as all of them. */
static void finish_column(pen *p) {
  if (!p->column) return;
  go_to(p, p->first);
  go_to(p, p->least_first ? p->least : p->most);
  go_to(p, p->least_first ? p->most : p->least);
  go_to(p, p->last);
  p->column = false;
}

static void add(pen *p, point to) {
  if (p->column && floor(to.x) != floor(p->first.x)) finish_column(p);
  if (!p->column) {
    p->first = p->least = p->most = to;
    p->column = p->least_first = true;
  }
  if (to.y < p->least.y) {
    p->least = to;
    p->least_first = false;
  }
  if (to.y > p->most.y) {
    p->most = to;
    p->least_first = true;
  }
  p->last = to;
}

/* A point alone is drawn as a dot: the line's ends are round. */
static void finish_line(pen *p) {
  finish_column(p);
  if (p->placed && p->drawn == 0 && is_inside(p, p->at)) {
    command(p, 'M', p->at);
    trm_output_text(p->output, "h0");
  }
  p->placed = p->down = false;
  p->drawn = 0;
}

static point map(const trm_frame *frame, const trm_plot_series *series, size_t k) {
  point at = {trm_frame_map(&frame->x, series->x[k]), trm_frame_map(&frame->y, series->y[k])};
  return at;
}

static bool is_gap(point at) {
  return !isfinite(at.x) || !isfinite(at.y);
}

static pen new_pen(trm_output *output, const trm_frame *frame) {
  const trm_frame_axis *x = &frame->x, *y = &frame->y;
  return (pen){.output = output,
               .low = {fmin(x->from, x->to), fmin(y->from, y->to)},
               .high = {fmax(x->from, x->to), fmax(y->from, y->to)}};
}

void trm_curve_write(trm_output *output, const trm_frame *frame, const trm_plot_series *series) {
  pen p = new_pen(output, frame);
  for (size_t k = 0; k < series->count; k++) {
    point at = map(frame, series, k);
    if (is_gap(at))
      finish_line(&p);
    else
      add(&p, at);
  }
  finish_line(&p);
}

void trm_curve_marks(const trm_frame *frame, const trm_plot_series *series, trm_curve_mark mark,
                     void *context) {
  pen p = new_pen(NULL, frame);
  size_t stride = 1 + series->count / (MOST_MARKERS + 1);
  for (size_t k = 0; k < series->count; k += stride) {
    point at = map(frame, series, k);
    if (!is_gap(at) && is_inside(&p, at)) mark(context, at.x, at.y);
  }
}

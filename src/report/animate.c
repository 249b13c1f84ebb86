/* A drawing as SVG that moves by itself: every mark carries the list of its positions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/picture.h"
#include "result/output.h"

typedef struct animation {
  trm_output *output;
  trm_picture first;  /* marks */
  double (*all)[2];   /* points of all frames, one frame after the other */
  int frames, points; /* points of one frame */
  double seconds;
} animation;

static void number(const animation *a, double value) {
  double rounded = round(10 * value) / 10;
  trm_output_number(a->output, rounded == 0 ? 0 : rounded, 6);
}

static void attribute(const animation *a, const char *name, double value) {
  trm_output_text(a->output, " ");
  trm_output_text(a->output, name);
  trm_output_text(a->output, "=\"");
  trm_output_number(a->output, value, 4);
  trm_output_text(a->output, "\"");
}

static void color(const animation *a, const char *name, unsigned value) {
  char text[40];
  snprintf(text, sizeof text, " %s=\"#%06x\"", name, value & 0xffffff);
  trm_output_text(a->output, text);
}

static const double *point_of(const animation *a, const trm_mark *mark, int frame, int index) {
  return a->all[(size_t)frame * (size_t)a->points + (size_t)(mark->first + index)];
}

static bool moves(const animation *a, const trm_mark *mark) {
  for (int f = 1; f < a->frames; f++)
    for (int i = 0; i < mark->count; i++)
      for (int k = 0; k < 2; k++)
        if (fabs(point_of(a, mark, f, i)[k] - point_of(a, mark, 0, i)[k]) > 0.05) return true;
  return false;
}

static void path(const animation *a, const trm_mark *mark, int frame) {
  for (int i = 0; i < mark->count; i++) {
    const double *p = point_of(a, mark, frame, i);
    trm_output_text(a->output, i == 0 ? "M" : "L");
    number(a, p[0]);
    trm_output_text(a->output, " ");
    number(a, p[1]);
  }
  if (mark->kind == TRM_MARK_AREA) trm_output_text(a->output, "Z");
}

static void animate(const animation *a, const trm_mark *mark, const char *name, int component) {
  trm_output_text(a->output, "<animate attributeName=\"");
  trm_output_text(a->output, name);
  trm_output_text(a->output, "\" repeatCount=\"indefinite\"");
  attribute(a, "dur", a->seconds);
  trm_output_text(a->output, " values=\"");
  for (int f = 0; f < a->frames; f++) {
    if (f > 0) trm_output_text(a->output, ";");
    if (component < 0)
      path(a, mark, f);
    else
      number(a, point_of(a, mark, f, 0)[component]);
  }
  trm_output_text(a->output, "\"/>");
}

static void write_disc(const animation *a, const trm_mark *mark) {
  trm_output_text(a->output, "<circle");
  attribute(a, "cx", round(10 * point_of(a, mark, 0, 0)[0]) / 10);
  attribute(a, "cy", round(10 * point_of(a, mark, 0, 0)[1]) / 10);
  attribute(a, "r", mark->radius);
  if (!mark->hollow) color(a, "fill", mark->color);
  if (mark->width > 0) {
    color(a, "stroke", mark->rim);
    attribute(a, "stroke-width", mark->width);
  }
  if (mark->opacity < 1) attribute(a, "opacity", mark->opacity);
  trm_output_text(a->output, ">");
  if (moves(a, mark)) {
    animate(a, mark, "cx", 0);
    animate(a, mark, "cy", 1);
  }
  trm_output_text(a->output, "</circle>\n");
}

static void write_path(const animation *a, const trm_mark *mark) {
  bool area = mark->kind == TRM_MARK_AREA;
  trm_output_text(a->output, "<path d=\"");
  path(a, mark, 0);
  trm_output_text(a->output, "\"");
  if (area) {
    color(a, "fill", mark->color);
  } else {
    color(a, "stroke", mark->color);
    attribute(a, "stroke-width", mark->width);
  }
  if (mark->opacity < 1) attribute(a, "opacity", mark->opacity);
  trm_output_text(a->output, ">");
  if (moves(a, mark)) animate(a, mark, "d", -1);
  trm_output_text(a->output, "</path>\n");
}

static void write_all(const animation *a, const trm_drawing_options *options) {
  trm_output_text(a->output, "<svg xmlns=\"http://www.w3.org/2000/svg\" fill=\"none\" "
                             "stroke-linecap=\"round\" stroke-linejoin=\"round\" viewBox=\"0 0 ");
  trm_output_number(a->output, options->width, 6);
  trm_output_text(a->output, " ");
  trm_output_number(a->output, options->height, 6);
  trm_output_text(a->output, "\">\n");
  for (int i = 0; i < a->first.mark_count; i++) {
    const trm_mark *mark = &a->first.marks[i];
    if (mark->kind == TRM_MARK_DISC)
      write_disc(a, mark);
    else
      write_path(a, mark);
  }
  trm_output_text(a->output, "</svg>\n");
}

/* Marks of the first frame, points of all. */
static bool collect(animation *a, trm_drawing *drawing, double start, double end) {
  for (int f = 0; f < a->frames; f++) {
    double part = a->frames > 1 ? (double)f / (a->frames - 1) : 0;
    if (!trm_drawing_compose(drawing, start + part * (end - start))) return false;
    a->points = drawing->picture.point_count;
    if (f == 0) a->all = malloc(((size_t)a->frames * (size_t)a->points + 1) * sizeof *a->all);
    if (!a->all) return false;
    if (a->points > 0)
      memcpy(a->all + (size_t)f * (size_t)a->points, drawing->picture.points,
             (size_t)a->points * sizeof *a->all);
  }
  a->first = drawing->picture;
  return true;
}

trm_status trm_drawing_write_svg(trm_drawing *drawing, double start, double end, int frames,
                                 double seconds, const char *path_name,
                                 trm_diagnostics *diagnostics) {
  animation a = {.frames = frames < 1 ? 1 : frames, .seconds = seconds};
  trm_status status = TRM_NO_MEMORY;
  if (!collect(&a, drawing, start, end))
    trm_report(diagnostics, TRM_ERROR, "out of memory");
  else if ((a.output = trm_output_open(path_name, diagnostics))) {
    write_all(&a, &drawing->options);
    status = trm_output_close(a.output, diagnostics);
  }
  free(a.all);
  return status;
}

/* A figure as SVG: page, grid, curves, axes, legend. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/text.h"
#include "report/curve.h"
#include "report/plot.h"

enum { COLORS = 8, SHAPES = 5, LINE = 19 /* px, of the legend */ };

typedef struct figure {
  const trm_plot *plot;
  trm_output *output;
  trm_frame frame, beside;                      /* of the axis on the left, on the right */
  bool two;                                     /* both are there */
  double width, height;                         /* px */
  double left, right, top, bottom, legend_left; /* of the frame */
  double beside_width;                          /* of what stands right of it */
} figure;

/* Colours told apart by all eyes (after Okabe and Ito), darker on light pages than on dark ones. */
static const char style[] =
    "<style>\n"
    "text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#24292f}\n"
    ".title{font-size:15px;font-weight:600}.tick{fill:#57606a}.page{fill:#fff}\n"
    ".grid{stroke:#dde1e6;fill:none}.minor{stroke:#f0f2f4;fill:none}\n"
    ".frame{stroke:#8c959f;fill:none}.front{color:#c9d1d9}\n"
    ".line{fill:none;stroke:currentColor;stroke-width:1.75;stroke-linejoin:round;"
    "stroke-linecap:round}\n"
    ".front .line{stroke-width:8}.dash{stroke-dasharray:6 4}\n"
    ".mark{fill:currentColor;stroke:#fff;stroke-width:.75}\n"
    ".c0{color:#0068a8}.c1{color:#d35400}.c2{color:#008a63}.c3{color:#b0448a}\n"
    ".c4{color:#c78500}.c5{color:#2f9fd8}.c6{color:#6b4fa0}.c7{color:#5a6068}\n"
    "@media(prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}.tick{fill:#9ea7b1}.page{fill:#0d1117}.mark{stroke:#0d1117}\n"
    ".grid{stroke:#2a3139}.minor{stroke:#1a2028}.frame{stroke:#6e7681}.front{color:#3a424c}\n"
    ".c0{color:#4fa8e8}.c1{color:#ff8c4d}.c2{color:#3ecf9f}.c3{color:#e58fc4}\n"
    ".c4{color:#f0bd45}.c5{color:#8ed3ff}.c6{color:#b59cec}.c7{color:#aab2bb}}\n"
    "</style>\n";

static const trm_plot plain = {.width = 760,
                               .height = 470,
                               .x = {.low = NAN, .high = NAN},
                               .y = {.low = NAN, .high = NAN},
                               .right = {.low = NAN, .high = NAN}};

void trm_plot_init(trm_plot *defaults, size_t size) {
  trm_sized_give(defaults, size, &plain, sizeof plain);
}

/* --- text --- */

__attribute__((format(printf, 2, 3))) static void put(figure *f, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  trm_output_text(f->output, text);
}

/* Names may be anything: what XML does not allow becomes U+FFFD, the replacement character. */
static void put_text(figure *f, const char *text) {
  while (*text) {
    size_t length = trm_utf8_length(text);
    const char *known = *text == '&'   ? "&amp;"
                        : *text == '<' ? "&lt;"
                        : *text == '>' ? "&gt;"
                                       : NULL;
    bool control = (unsigned char)*text < 0x20 || *text == 0x7f;
    bool noncharacter = length == 3 && memcmp(text, "\xef\xbf", 2) == 0 && (text[2] & 0x3f) >= 0x3e;
    if (known)
      trm_output_text(f->output, known);
    else if (length == 0 || control || noncharacter)
      trm_output_text(f->output, "\xef\xbf\xbd");
    else
      trm_output_write(f->output, text, length);
    text += length ? length : 1;
  }
}

/* Roughly: letters of a proportional font. */
static double text_width(const char *text, double size) {
  double count = 0;
  for (; *text; count++) {
    size_t length = trm_utf8_length(text);
    text += length ? length : 1;
  }
  return 0.58 * size * count;
}

/* --- layout --- */

static bool is_titled(const char *text) {
  return text && *text;
}

static double widest_tick(const trm_ticks *ticks) {
  double widest = 0;
  char label[TRM_TICK_LABEL];
  for (int k = 0; k < ticks->count; k++) {
    if (!ticks->labelled[k]) continue;
    trm_tick_label(ticks, ticks->at[k], label);
    widest = fmax(widest, text_width(label, 12));
  }
  return widest;
}

static int measure_legend(const trm_plot *plot, double *width) {
  int count = 0;
  *width = 0;
  for (int k = 0; k < plot->series_count; k++) {
    if (!is_titled(plot->series[k].name)) continue;
    *width = fmax(*width, 44 + text_width(plot->series[k].name, 12));
    count++;
  }
  return count;
}

/* Pixels of the frames, from its edges. */
static void place(figure *f) {
  f->legend_left = f->right + 18 + f->beside_width;
  f->frame.x.from = f->left;
  f->frame.x.to = f->right;
  f->frame.y.from = f->bottom;
  f->frame.y.to = f->top;
  f->beside.x = f->frame.x;
  f->beside.y.from = f->bottom;
  f->beside.y.to = f->top;
}

static void lay_out(figure *f) {
  const trm_plot *plot = f->plot;
  double legend;
  int entries = measure_legend(plot, &legend);
  for (int k = 0; k < plot->series_count; k++) f->two |= plot->series[k].right;
  trm_frame_fit(&f->frame, plot, false);
  trm_frame_fit(&f->beside, plot, true);
  double beside = widest_tick(&f->beside.y.ticks) + (is_titled(plot->right.label) ? 38 : 14);
  if (!f->two) beside = 0;
  f->top = is_titled(plot->title) ? 44 : 18;
  f->width = fmax(plot->width, 240 + legend);
  f->height = fmax(plot->height, f->top + LINE * entries + 60);
  f->left = 16 + widest_tick(&f->frame.y.ticks) + (is_titled(plot->y.label) ? 22 : 0);
  f->right = f->width - (entries ? legend + 26 : 24) - beside;
  f->bottom = f->height - (is_titled(plot->x.label) ? 52 : 32);
  f->beside_width = beside;
  place(f);
}

/* --- axes --- */

static void draw_grid(figure *f, bool labelled) {
  const trm_ticks *x = &f->frame.x.ticks, *y = &f->frame.y.ticks;
  put(f, "<path class=\"%s\" d=\"", labelled ? "grid" : "minor");
  for (int k = 0; k < x->count; k++)
    if (x->labelled[k] == labelled)
      put(f, "M%.1f %.1fV%.1f", trm_frame_map(&f->frame.x, x->at[k]), f->bottom, f->top);
  for (int k = 0; k < y->count; k++)
    if (y->labelled[k] == labelled)
      put(f, "M%.1f %.1fH%.1f", f->left, trm_frame_map(&f->frame.y, y->at[k]), f->right);
  put(f, "\"/>\n");
}

/* Labels of an axis that would touch the one before are left out. A vertical axis has them at x, on
 * one side. */
static void draw_tick_labels(figure *f, const trm_frame_axis *axis, bool vertical, double x,
                             const char *anchor) {
  double end = vertical ? INFINITY : -INFINITY;
  char label[TRM_TICK_LABEL];
  for (int k = 0; k < axis->ticks.count; k++) {
    if (!axis->ticks.labelled[k]) continue;
    double at = trm_frame_map(axis, axis->ticks.at[k]);
    trm_tick_label(&axis->ticks, axis->ticks.at[k], label);
    double half = vertical ? 7 : text_width(label, 12) / 2 + 3;
    if (vertical ? at + half > end : at - half < end) continue;
    end = vertical ? at - half : at + half;
    if (vertical)
      put(f, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, at + 4,
          anchor, label);
    else
      put(f, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", at,
          f->bottom + 18, label);
  }
}

static void draw_words(figure *f, const char *attributes, double x, double y, const char *text) {
  if (!is_titled(text)) return;
  put(f, "<text %s transform=\"translate(%.1f %.1f)%s\">", attributes, x, y,
      strstr(attributes, "axis-y") ? " rotate(-90)" : "");
  put_text(f, text);
  put(f, "</text>\n");
}

static void draw_axes(figure *f) {
  double x = (f->left + f->right) / 2, y = (f->top + f->bottom) / 2;
  put(f, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", f->left,
      f->top, f->right - f->left, f->bottom - f->top);
  draw_tick_labels(f, &f->frame.x, false, 0, "");
  draw_tick_labels(f, &f->frame.y, true, f->left - 7, "end");
  if (f->two) draw_tick_labels(f, &f->beside.y, true, f->right + 7, "start");
  if (f->two)
    draw_words(f, "class=\"axis-y right\" text-anchor=\"middle\"", f->legend_left - 12, y,
               f->plot->right.label);
  draw_words(f, "class=\"title\"", f->left, 27, f->plot->title);
  draw_words(f, "class=\"axis-x\" text-anchor=\"middle\"", x, f->height - 14, f->plot->x.label);
  draw_words(f, "class=\"axis-y\" text-anchor=\"middle\"", 19, y, f->plot->y.label);
  if (f->frame.x.empty)
    draw_words(f, "class=\"tick\" text-anchor=\"middle\"", x, y, "no data to show");
}

/* --- curves --- */

typedef struct marker {
  figure *figure;
  int shape;
} marker;

static void draw_mark(void *context, double x, double y) {
  static const char *const shapes[SHAPES] = {
      "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "m-3.5-3.5h7v7h-7z",
      "m0-4.8l4.8 4.8l-4.8 4.8l-4.8-4.8z", "m0-4.8l4.4 7.8h-8.8z", "m0 4.8l4.4-7.8h-8.8z"};
  marker *m = context;
  put(m->figure, "M%.2f %.2f%s", x, y, shapes[m->shape]);
}

/* `sample`: two points in the legend; else the series itself. */
static void draw_series(figure *f, int index, const trm_frame *frame, const trm_plot_series *series,
                        int color) {
  marker m = {f, color % SHAPES};
  if (series->pale)
    put(f, "<g class=\"front\">");
  else
    put(f, "<g class=\"c%d\">", color % COLORS);
  if ((frame == &f->frame || frame == &f->beside) && is_titled(f->plot->series[index].name)) {
    put(f, "<title>");
    put_text(f, f->plot->series[index].name);
    put(f, "</title>");
  }
  if (series->line) {
    put(f, "<path class=\"line%s\" d=\"", color / COLORS % 2 ? " dash" : "");
    trm_curve_write(f->output, frame, series);
    put(f, "\"/>");
  }
  if (series->markers) {
    put(f, "<path class=\"mark\" d=\"");
    trm_curve_marks(frame, series, draw_mark, &m);
    put(f, "\"/>");
  }
  put(f, "</g>\n");
}

/* A series as it looks, in a frame of its own around its place in the legend. */
static void draw_entry(figure *f, int index, int color, double y) {
  const trm_plot_series *series = &f->plot->series[index];
  double x = f->legend_left, ends[] = {x + 3, x + 25}, middle[] = {x + 14}, height[] = {y, y};
  trm_frame own = {.x = {.low = x, .high = x + 28, .from = x, .to = x + 28},
                   .y = {.low = y - 9, .high = y + 9, .from = y - 9, .to = y + 9}};
  trm_plot_series line = {.count = 2, .x = ends, .y = height, .line = series->line};
  trm_plot_series mark = {.count = 1, .x = middle, .y = height, .markers = series->markers};
  line.pale = mark.pale = series->pale;
  draw_series(f, index, &own, &line, color);
  draw_series(f, index, &own, &mark, color);
  draw_words(f, "class=\"legend\"", x + 34, y + 4, series->name);
}

static const trm_frame *frame_of(const figure *f, int series) {
  return f->plot->series[series].right ? &f->beside : &f->frame;
}

static void draw_curves(figure *f) {
  const trm_plot *plot = f->plot;
  double y = f->top + 10;
  for (int k = 0; k < plot->series_count; k++)
    if (plot->series[k].pale) draw_series(f, k, frame_of(f, k), &plot->series[k], 0);
  for (int k = 0, color = 0; k < plot->series_count; k++)
    if (!plot->series[k].pale) draw_series(f, k, frame_of(f, k), &plot->series[k], color++);
  for (int k = 0, color = 0; k < plot->series_count; k++) {
    int own = plot->series[k].pale ? 0 : color++;
    if (!is_titled(plot->series[k].name)) continue;
    draw_entry(f, k, own, y);
    y += LINE;
  }
}

/* The <svg> element, its style and its page. */
static void begin(figure *f) {
  put(f,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f "
      "%.0f\" role=\"img\">\n",
      f->width, f->height, f->width, f->height);
  trm_output_text(f->output, style);
  put(f, "<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n");
}

static void draw(figure *f) {
  draw_grid(f, false);
  draw_grid(f, true);
  draw_curves(f);
  draw_axes(f);
}

void trm_plot_draw(const trm_plot *plot, trm_output *output) {
  figure f = {.plot = plot, .output = output};
  lay_out(&f);
  begin(&f);
  draw(&f);
  put(&f, "</svg>\n");
}

trm_status trm_plot_write_svg(const trm_plot *plot, const char *path,
                              trm_diagnostics *diagnostics) {
  trm_plot own = plain;
  if (!trm_sized_take_or_report(&own, sizeof own, plot, "trm_default_plot", diagnostics))
    return TRM_BAD_USAGE;
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_plot_draw(&own, output);
  return trm_output_close(output, diagnostics);
}

/* One panel, between the edges that all have in common. */
static void draw_panel(figure *page, const trm_plot *plot) {
  figure f = {.plot = plot, .output = page->output};
  lay_out(&f);
  f.left = page->left;
  f.right = page->right;
  place(&f);
  put(&f, "<g transform=\"translate(0 %.0f)\">\n", page->top);
  draw(&f);
  put(&f, "</g>\n");
  page->top += f.height;
}

trm_status trm_plot_write_panels(const trm_plot *const *plots, int count, const char *path,
                                 trm_diagnostics *diagnostics) {
  static const char maker[] = "trm_default_plot";
  figure page = {.right = INFINITY};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1 && !(page.output = trm_output_open(path, diagnostics))) return TRM_NO_MEMORY;
    if (pass == 1) begin(&page);
    for (int k = 0; k < count; k++) {
      trm_plot own = plain;
      if (!trm_sized_take_or_report(&own, sizeof own, plots[k], maker, diagnostics))
        return TRM_BAD_USAGE; /* in the first pass, if at all */
      if (pass == 1) draw_panel(&page, &own);
      if (pass == 1) continue;
      figure f = {.plot = &own};
      lay_out(&f);
      page.left = fmax(page.left, f.left);
      page.right = fmin(page.right, f.right);
      page.width = fmax(page.width, f.width);
      page.height += f.height;
    }
  }
  put(&page, "</svg>\n");
  return trm_output_close(page.output, diagnostics);
}

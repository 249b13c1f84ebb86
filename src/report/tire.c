/* The curves of a tire, as a page and as a table. */
#include "tire/tire.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/document.h"
#include "report/plot.h"

enum { LOADS = 5, ANGLES = 7, POINTS = 201 };
#define DEGREE   0.017453292519943295
#define STEEPEST (15 * DEGREE) /* slip angle that is drawn */
#define SLIP     0.5           /* longitudinal slip that is drawn */
#define CAMBER   (5 * DEGREE)
#define NO_LOAD  4000.0 /* N, where a file names none */

typedef struct curves {
  const trm_tire *tire;
  double nominal, loads[LOADS], angles[ANGLES];
} curves;

static curves choose(const trm_tire *tire) {
  static const double share[LOADS] = {0.25, 0.5, 1, 1.5, 2},
                      degrees[ANGLES] = {-8, -4, -2, 0, 2, 4, 8};
  curves c = {.tire = tire};
  c.nominal = tire->format == TRM_TIRE_PAC2002 ? tire->FNOMIN : NO_LOAD;
  for (int k = 0; k < LOADS; k++)
    c.loads[k] = fmin(fmax(share[k] * c.nominal, tire->FZMIN), tire->FZMAX);
  for (int k = 0; k < ANGLES; k++) c.angles[k] = degrees[k] * DEGREE;
  return c;
}

static double spread(double largest, int k) {
  return largest * (2.0 * k / (POINTS - 1) - 1);
}

static trm_tire_forces at(const curves *c, double load, double kappa, double alpha, double gamma) {
  trm_tire_slip slip = {load, kappa, alpha, gamma, c->tire->LONGVL};
  trm_tire_forces f;
  trm_tire_evaluate(c->tire, c->tire->side, &slip, 1, &f, NULL);
  return f;
}

/* --- the table --- */

static void write_point(trm_output *output, const char *curve, double load, double kappa,
                        double alpha, double gamma, trm_tire_forces f) {
  const double row[] = {load, kappa, alpha, gamma, f.fx, f.fy, f.mx, f.my, f.mz};
  trm_output_text(output, curve);
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    trm_output_text(output, ",");
    trm_output_exact(output, row[k]);
  }
  trm_output_text(output, "\n");
}

trm_status trm_tire_write_csv(const trm_tire *tire, const char *path,
                              trm_diagnostics *diagnostics) {
  curves c = choose(tire);
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_output_text(output, "curve,fz,kappa,alpha,gamma,fx,fy,mx,my,mz\n");
  for (int j = 0; j < LOADS; j++)
    for (int k = 0; k < POINTS; k++) {
      double kappa = spread(SLIP, k);
      write_point(output, "longitudinal", c.loads[j], kappa, 0, 0, at(&c, c.loads[j], kappa, 0, 0));
    }
  for (int j = 0; j < LOADS; j++)
    for (int k = 0; k < POINTS; k++) {
      double alpha = spread(STEEPEST, k);
      write_point(output, "lateral", c.loads[j], 0, alpha, 0, at(&c, c.loads[j], 0, alpha, 0));
    }
  for (int j = 0; j < ANGLES; j++)
    for (int k = 0; k < POINTS; k++) {
      double kappa = spread(1, k), alpha = c.angles[j];
      write_point(output, "combined", c.nominal, kappa, alpha, 0,
                  at(&c, c.nominal, kappa, alpha, 0));
    }
  for (int j = 0; j < LOADS; j++)
    for (int k = 0; k < POINTS; k++) {
      double gamma = spread(CAMBER, k);
      write_point(output, "camber", c.loads[j], 0, 0, gamma, at(&c, c.loads[j], 0, 0, gamma));
    }
  return trm_output_close(output, diagnostics);
}

/* --- the page --- */

typedef struct figure {
  double x[LOADS + ANGLES][POINTS], y[LOADS + ANGLES][POINTS];
  char names[LOADS + ANGLES][48];
  trm_plot_series series[LOADS + ANGLES];
  int count;
} figure;

static double *begin(figure *f, const char *format, double value) {
  int k = f->count++;
  snprintf(f->names[k], sizeof f->names[k], format, value);
  f->series[k] = (trm_plot_series){
      .name = f->names[k], .count = POINTS, .x = f->x[k], .y = f->y[k], .line = true};
  return f->y[k];
}

static void draw(figure *f, const char *title, const char *x, const char *y, trm_output *output) {
  trm_plot plot = trm_default_plot();
  plot.title = title;
  plot.x.label = x;
  plot.y.label = y;
  plot.width = 640;
  plot.height = 430;
  plot.series = f->series;
  plot.series_count = f->count;
  trm_output_text(output, "<figure>\n");
  trm_plot_draw(&plot, output);
  trm_output_text(output, "</figure>\n");
}

static void draw_longitudinal(const curves *c, trm_output *output) {
  figure f = {0};
  for (int j = 0; j < LOADS; j++) {
    double *y = begin(&f, "%.0f N", c->loads[j]);
    for (int k = 0; k < POINTS; k++) {
      f.x[j][k] = spread(SLIP, k);
      y[k] = at(c, c->loads[j], f.x[j][k], 0, 0).fx;
    }
  }
  draw(&f, "Longitudinal force", "longitudinal slip κ", "Fx (N)", output);
}

static void draw_lateral(const curves *c, bool moment, trm_output *output) {
  figure f = {0};
  for (int j = 0; j < LOADS; j++) {
    double *y = begin(&f, "%.0f N", c->loads[j]);
    for (int k = 0; k < POINTS; k++) {
      double alpha = spread(STEEPEST, k);
      trm_tire_forces r = at(c, c->loads[j], 0, alpha, 0);
      f.x[j][k] = alpha / DEGREE;
      y[k] = moment ? r.mz : r.fy;
    }
  }
  draw(&f, moment ? "Aligning moment" : "Side force", "slip angle α (°)",
       moment ? "Mz (Nm)" : "Fy (N)", output);
}

static void draw_combined(const curves *c, trm_output *output) {
  figure f = {0};
  char title[64];
  for (int j = 0; j < ANGLES; j++) {
    double *y = begin(&f, "α = %.0f°", c->angles[j] / DEGREE);
    for (int k = 0; k < POINTS; k++) {
      trm_tire_forces r = at(c, c->nominal, spread(1, k), c->angles[j], 0);
      f.x[j][k] = r.fx;
      y[k] = r.fy;
    }
  }
  snprintf(title, sizeof title, "Combined slip at %.0f N, κ from −1 to 1", c->nominal);
  draw(&f, title, "Fx (N)", "Fy (N)", output);
}

static void draw_camber(const curves *c, trm_output *output) {
  figure f = {0};
  for (int j = 0; j < LOADS; j++) {
    double *y = begin(&f, "%.0f N", c->loads[j]);
    for (int k = 0; k < POINTS; k++) {
      double gamma = spread(CAMBER, k);
      f.x[j][k] = gamma / DEGREE;
      y[k] = at(c, c->loads[j], 0, 0, gamma).fy;
    }
  }
  draw(&f, "Side force of camber, α = 0", "inclination γ (°)", "Fy (N)", output);
}

static void draw_lengths(const curves *c, trm_output *output) {
  figure f = {0};
  double *kappa = begin(&f, "σκ", 0), *alpha = begin(&f, "σα", 0);
  for (int k = 0; k < POINTS; k++) {
    double load = c->loads[LOADS - 1] * k / (POINTS - 1);
    trm_tire_lengths l = trm_tire_relaxation_lengths(c->tire, load, 0);
    f.x[0][k] = f.x[1][k] = load;
    kappa[k] = l.sigma_kappa;
    alpha[k] = l.sigma_alpha;
  }
  draw(&f, "Relaxation lengths", "load (N)", "length (m)", output);
}

static void write_fact(trm_output *output, const char *name, double value, const char *unit) {
  trm_output_text(output, "<tr><th>");
  trm_output_text(output, name);
  trm_output_text(output, "</th><td>");
  trm_output_number(output, value, 6);
  trm_output_text(output, unit);
  trm_output_text(output, "</td></tr>\n");
}

static void write_facts(const curves *c, trm_output *output) {
  static const char *const sides[] = {"left", "right", "symmetric"};
  const trm_tire *t = c->tire;
  trm_tire_facts facts = trm_tire_describe(t);
  trm_tire_slip rest = {.load = c->nominal, .speed = t->LONGVL};
  trm_tire_forces f;
  double slopes[5][5];
  trm_tire_evaluate(t, t->side, &rest, 1, &f, slopes);
  trm_tire_grip slope, grip = trm_tire_grip_at(t, c->nominal, &slope);
  trm_tire_lengths l = trm_tire_relaxation_lengths(t, c->nominal, 0);
  trm_output_text(output, "<table>\n<tr><th>format</th><td>");
  trm_output_text(output, facts.format);
  trm_output_text(output, ", measured on the ");
  trm_output_text(output, sides[facts.side]);
  trm_output_text(output, "</td></tr>\n");
  write_fact(output, "use mode", facts.use_mode, "");
  write_fact(output, "unloaded radius", facts.radius, " m");
  write_fact(output, "nominal load", c->nominal, " N");
  write_fact(output, "vertical stiffness", t->VERTICAL_STIFFNESS * t->LCZ, " N/m");
  write_fact(output, "effective radius",
             trm_tire_press(t, c->nominal / (t->VERTICAL_STIFFNESS * t->LCZ), 0).radius, " m");
  write_fact(output, "slip stiffness ∂Fx/∂κ", slopes[0][1], " N");
  write_fact(output, "cornering stiffness ∂Fy/∂α", slopes[1][2], " N/rad");
  write_fact(output, "slip of the largest Fx", grip.kappa.elastic * grip.kappa.stretch, "");
  write_fact(output, "slip angle of the largest Fy",
             atan(grip.tangent.elastic * grip.tangent.stretch) / DEGREE, "°");
  write_fact(output, "relaxation lengths σκ", l.sigma_kappa, " m");
  write_fact(output, "and σα", l.sigma_alpha, " m");
  trm_output_text(output, "</table>\n<p>Stiffnesses, slips, radius and lengths at the nominal "
                          "load. Axes: ISO W, x forward, y left, z up.</p>\n");
}

static const char head[] =
    "<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
    "body{font:15px/1.45 system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;"
    "margin:24px auto;max-width:1320px;padding:0 16px;color:#24292f;background:#fff}\n"
    "h1{font-size:22px}main{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,"
    "560px),1fr));gap:16px}\n"
    "figure{margin:0;border:1px solid #d8dee4;border-radius:6px;overflow:hidden}"
    "figure svg{width:100%;height:auto;display:block}\n"
    "section{padding:8px 16px}th{text-align:left;font-weight:400;padding-right:24px}"
    "td{font-variant-numeric:tabular-nums}\n"
    "@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}"
    "figure{border-color:#30363d}}\n"
    "</style>\n</head>\n<body>\n<h1>";

trm_status trm_tire_write_page(const trm_tire *tire, const char *title, const char *path,
                               trm_diagnostics *diagnostics) {
  curves c = choose(tire);
  trm_output *output = trm_output_open(path, diagnostics);
  if (!output) return TRM_NO_MEMORY;
  trm_output_text(output, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                          "<title>");
  trm_document_text(output, title);
  trm_output_text(output, "</title>\n");
  trm_output_text(output, head);
  trm_document_text(output, title);
  trm_output_text(output, "</h1>\n<main>\n");
  draw_longitudinal(&c, output);
  draw_lateral(&c, false, output);
  draw_lateral(&c, true, output);
  draw_combined(&c, output);
  draw_camber(&c, output);
  draw_lengths(&c, output);
  trm_output_text(output, "<section>\n");
  write_facts(&c, output);
  trm_output_text(output, "</section>\n</main>\n</body>\n</html>\n");
  return trm_output_close(output, diagnostics);
}

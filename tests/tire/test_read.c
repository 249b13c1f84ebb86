/* Property files: what is read, what is said about mistakes, units, curves, the form of 1989. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../extremes.h"
#include "points.h"
#include "tire/wheel.h"

static char *file_text(const char *path) {
  static char text[1 << 16];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

/* The shipped sedan with one passage replaced. */
static const char *changed(const char *from, const char *to) {
  static char result[1 << 16];
  const char *text = file_text("models/vehicle/sedan.tir"), *at = strstr(text, from);
  assert_non_null(at);
  snprintf(result, sizeof result, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return result;
}

static bool has_message(const trm_diagnostics *diagnostics, trm_severity severity, const char *part,
                        int *line, int *column) {
  for (int k = 0; k < trm_diagnostics_count(diagnostics); k++) {
    const trm_diagnostic *d = trm_diagnostics_get(diagnostics, k);
    if (d->severity != severity || !strstr(d->message, part)) continue;
    *line = d->line, *column = d->column;
    return true;
  }
  return false;
}

static int line_of(const char *text, const char *part) {
  int line = 1;
  for (const char *end = strstr(text, part); text < end; text++) line += *text == '\n';
  return line;
}

typedef struct mistake {
  const char *from, *to, *message;
  trm_severity severity;
  const char *place; /* what stands in its line; NULL: the end of the file */
} mistake;

static const mistake mistakes[] = {
    {"[LATERAL_COEFFICIENTS]", "[SIDE]", "section [LATERAL_COEFFICIENTS] is missing", TRM_ERROR, 0},
    {"[UNITS]", "$", "section [UNITS] is missing", TRM_ERROR, 0},
    {"[VERTICAL]", "[OTHER]", "section [VERTICAL] is missing", TRM_ERROR, 0},
    {"FNOMIN ", "$ ", "FNOMIN is missing in section [VERTICAL]", TRM_ERROR, 0},
    {"PCX1 ", "$ ", "PCX1 is missing", TRM_ERROR, 0},
    {"= 0.344", "= -0.344", "UNLOADED_RADIUS is -0.344, it should be positive", TRM_ERROR,
     "-0.344"},
    {"= 0.344", "= wide", "UNLOADED_RADIUS is 'wide', it should be a number", TRM_ERROR, "wide"},
    {"= -21.92", "= 21.92", "PKY1 is 21.92, it should be negative", TRM_ERROR, "21.92"},
    {"= 14", "= 7", "USE_MODE is 7, it should be 0 to 4, or 10 to 14", TRM_ERROR, "USE_MODE"},
    {"'LEFT'", "'TOP'", "TYRESIDE 'TOP' should be 'LEFT', 'RIGHT' or", TRM_ERROR, "'TOP'"},
    {"'PAC2002'", "'FTIRE'", "PROPERTY_FILE_FORMAT 'FTIRE' is not known", TRM_ERROR, "FTIRE"},
    {"= 6 ", "= 62 ", "FITTYP 62 is not known; 5, 6, 51 and 52", TRM_ERROR, "= 62"},
    {"'meter'", "'parsec'", "LENGTH: unknown unit 'parsec'; 'meter'", TRM_ERROR, "parsec"},
    {"'meter'", "'meter", "this text has no second '", TRM_ERROR, "'meter\n"},
    {"FZMAX                    = 9000", "FZMAX = 100", "FZMIN should be below FZMAX", TRM_ERROR,
     "FZMAX"},
    {"[MODEL]", "[MODEL", "a section should read '[NAME]'", TRM_ERROR, "[MODEL\n"},
    {"[MODEL]", "[MODEL]\nhello", "'[SECTION]', 'KEY = VALUE' or a comment", TRM_ERROR, "hello"},
    {"[MODEL]", "[MODEL]\n1 2 3", "section [MODEL] has no table", TRM_ERROR, "1 2 3"},
    {"[MODEL]", "[MODEL]\nVXLOW =", "VXLOW has no value", TRM_ERROR, "VXLOW ="},
    {"PCX1 ", "PCX9 = 1\nPCX1 ", "unknown key PCX9 is left out", TRM_WARNING, "PCX9"},
    {"FNOMIN ", "VERTICAL_STIFNESS = 1\nFNOMIN ", "did you mean VERTICAL_STIFFNESS?", TRM_WARNING,
     "STIFNESS"},
    {"PCX1 ", "PCX1 = 1\nPCX1 ", "PCX1 was given on line", TRM_WARNING, "PCX1    "},
    {"PEX4 ", "$ ", "by default: PEX4 = 0", TRM_NOTE, "\x01"},
    {"LMUX ", "$ ", "by default: LMUX = 1", TRM_NOTE, "\x01"},
    {"USE_MODE ", "$ ", "by default: USE_MODE = 4", TRM_NOTE, "\x01"},
    {"TYRESIDE ", "$ ", "by default: TYRESIDE = 'LEFT'", TRM_NOTE, "\x01"},
    {"[OVERTURNING_COEFFICIENTS]", "[OVERTURNING_COEFFICIENTS]\nPECP1 = 1", "turn slip", TRM_NOTE,
     "\x01"},
};

static void mistakes_are_named(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
    const mistake *m = &mistakes[k];
    const char *text = changed(m->from, m->to);
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_tire *tire = load_text(text, diagnostics);
    int line = -1, column = -1;
    if (!has_message(diagnostics, m->severity, m->message, &line, &column))
      fail_msg("not said: %s", m->message);
    assert_int_equal(tire == NULL, m->severity == TRM_ERROR);
    if (m->place && *m->place != 1) assert_int_equal(line, line_of(text, m->place));
    if (m->severity != TRM_NOTE) assert_true(line > 0 && column > 0);
    trm_tire_destroy(tire);
    trm_diagnostics_destroy(diagnostics);
  }
}

static void all_mistakes_at_once(void **state) {
  (void)state;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  assert_null(load_text("[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\nVXLOW = -1\n", diagnostics));
  int line, column;
  assert_true(trm_diagnostics_errors(diagnostics) >= 6); /* five sections and a value */
  assert_true(has_message(diagnostics, TRM_ERROR, "VXLOW is -1", &line, &column));
  assert_int_equal(line, 3);
  assert_int_equal(column, 9);
  trm_diagnostics_destroy(diagnostics);
  trm_status status;
  assert_null(trm_tire_load("no/such/file.tir", NULL, &status));
  assert_int_equal(status, TRM_IO_ERROR);
}

/* The same tire in millimetres, kilonewtons, degrees, milliseconds; keys in lower case. */
static void units_are_converted(void **state) {
  (void)state;
  static const char *const swaps[][2] = {{"'meter'", "\"MM\""},
                                         {"'newton'", "'kN'"},
                                         {"'radians'", "'degrees'"},
                                         {"'second'", "'ms'"},
                                         {"VXLOW                    = 1.0", "vxlow = 1"},
                                         {"= 16.6 ", "= 16.6 $"},
                                         {"= 0.344", "=344.d0!"},
                                         {"= 280835.2941", "= 0.2808352941"},
                                         {"= 2000.0", "= 2.0"},
                                         {"= 4850.0", "= 4.85"},
                                         {"= -1.5708", "= -90.00021045914971"},
                                         {"= 1.5708", "= 90.00021045914971"},
                                         {"= -0.26181", "= -15.000608034320082"},
                                         {"= 0.26181", "= 15.000608034320082"},
                                         {"= 200.0", "= 0.2"},
                                         {"= 9000.0", "= 9"}};
  static char text[1 << 16], next[1 << 16];
  strcpy(text, file_text("models/vehicle/sedan.tir"));
  for (size_t k = 0; k < sizeof swaps / sizeof *swaps; k++) {
    char *at = strstr(text, swaps[k][0]);
    assert_non_null(at);
    snprintf(next, sizeof next, "%.*s%s%s", (int)(at - text), text, swaps[k][1],
             at + strlen(swaps[k][0]));
    strcpy(text, next);
  }
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_tire *a = trm_tire_load("models/vehicle/sedan.tir", NULL, NULL);
  trm_tire *b = load_text(text, diagnostics);
  assert_int_equal(trm_diagnostics_count(diagnostics), 0);
  assert_true(a && b);
  double worst = 0;
#define KEY(name, ...)                                                                             \
  if (isfinite(a->name)) worst = larger(worst, fabs(a->name - b->name) / fmax(1, fabs(a->name)));
  TRM_TIRE_MODEL(KEY)
  TRM_TIRE_DIMENSION(KEY)
  TRM_TIRE_VERTICAL(KEY)
  TRM_TIRE_NOMINAL(KEY)
  TRM_TIRE_RANGES(KEY)
  TRM_TIRE_LATERAL(KEY)
#undef KEY
  assert_true(worst <= 1e-12);
  trm_tire_destroy(a);
  trm_tire_destroy(b);
  trm_diagnostics_destroy(diagnostics);
}

/* Points are met, the slope is the derivative, the force rises everywhere, straight beyond. */
static void load_curves(void **state) {
  (void)state;
  const char *text = changed("[VERTICAL_FORCE_RANGE]",
                             "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n 0 0\n 0.01, 2000 $ soft\n"
                             "0.02 5000\n0.03 12000\n[VERTICAL_FORCE_RANGE]");
  trm_tire *tire = load_text(text, NULL);
  assert_non_null(tire);
  static const double points[4][2] = {{0.01, 2000}, {0.02, 5000}, {0.03, 12000}, {0.04, 19000}};
  for (int k = 0; k < 4; k++)
    assert_true(fabs(trm_tire_press(tire, points[k][0], 0).fz - points[k][1]) <= 1e-9);
  double worst = 0;
  for (int k = 1; k < 350; k++) {
    double rho = k * 1e-4 + 3e-5, h = 1e-7;
    double up = trm_tire_press(tire, rho + h, 0.3).fz, down = trm_tire_press(tire, rho - h, 0.3).fz;
    trm_tire_deflected here = trm_tire_press(tire, rho, 0.3);
    worst = larger(worst, fabs((up - down) / (2 * h) - here.fz_rho) / here.fz_rho);
    assert_true(here.fz_rho > 0 && up > down);
  }
  assert_true(worst <= 1e-6);
  trm_tire_destroy(tire);
  assert_null(load_text(
      changed("[SCALING_", "[DEFLECTION_LOAD_CURVE]\n0 0\n.02 5\n.01 7\n[SCALING_"), NULL));
}

static const char form_1989[] =
    "[UNITS]\nLENGTH = 'mm'\nFORCE = 'newton'\nANGLE = 'deg'\nMASS = 'kg'\nTIME = 'sec'\n"
    "[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC89'\nUSE_MODE = 3\n"
    "[DIMENSION]\nUNLOADED_RADIUS = 310\n"
    "[PARAMETER]\nVERTICAL_STIFFNESS = 190\nVERTICAL_DAMPING = 0.5\nROLLING_RESISTANCE = 0.01\n"
    "[LATERAL_COEFFICIENTS]\na0=1.3\na1=-22.1\na2=1011\na3=1078\na4=1.82\na5=0.0208\na6=-0.354\n"
    "a7=0.707\na8=0.028\na9=0.01\na10=0.02\na11=14.8\na12=1.5\na13=7\n"
    "[LONGITUDINAL_COEFFICIENTS]\nb0=1.65\nb1=-21.3\nb2=1144\nb3=49.6\nb4=226\nb5=0.069\n"
    "b6=-0.006\nb7=0.056\nb8=0.486\nb9=0.02\nb10=0.03\n"
    "[ALIGNING_COEFFICIENTS]\nc0=2.4\nc1=-2.72\nc2=-2.28\nc3=-1.86\nc4=-2.73\nc5=0.11\nc6=0.01\n"
    "c7=-0.07\nc8=0.643\nc9=-4.04\nc10=0.015\nc11=-0.066\nc12=0.1\nc13=0.05\nc14=0.945\nc15=0.03\n"
    "c16=0.07\nc17=0.3\n";

/* The formulas of 1989 as printed: load in kN, slips in degrees and per cent. */
static double curve(double c, double d, double bcd, double e, double x) {
  double b = bcd / (c * d);
  return d * sin(c * atan(b * x - fmin(e, 1) * (b * x - atan(b * x))));
}

static void formulas_of_1989(void **state) {
  (void)state;
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_tire *tire = load_text(form_1989, diagnostics);
  assert_non_null(tire);
  double worst = 0;
  for (int k = 0; k < 60; k++) {
    double f = 1 + k % 6, kappa = -20 + 3.7 * (k % 11), alpha = -12 + 2.3 * (k % 13);
    double gamma = -4 + 1.9 * (k % 5), g = fabs(gamma);
    trm_tire_slip slip = {1000 * f, kappa / 100, -alpha * acos(-1) / 180, -gamma * acos(-1) / 180,
                          20};
    trm_tire_forces r;
    trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &r, NULL);
    double fy =
        curve(1.3, -22.1 * f * f + 1011 * f, 1078 * sin(2 * atan(f / 1.82)) * (1 - 0.0208 * g),
              -0.354 * f + 0.707, alpha + 0.01 * f + 0.02 + 0.028 * gamma) +
        14.8 * f * gamma + 1.5 * f + 7;
    double fx = curve(1.65, -21.3 * f * f + 1144 * f, (49.6 * f * f + 226 * f) * exp(-0.069 * f),
                      -0.006 * f * f + 0.056 * f + 0.486, kappa + 0.02 * f + 0.03);
    double mz = curve(2.4, -2.72 * f * f - 2.28 * f,
                      (-1.86 * f * f - 2.73 * f) * (1 - 0.01 * g) * exp(-0.11 * f),
                      (-0.07 * f * f + 0.643 * f - 4.04) * (1 - 0.015 * g),
                      alpha - 0.066 * gamma + 0.1 * f + 0.05) +
                (0.945 * f * f + 0.03 * f) * gamma + 0.07 * f + 0.3;
    worst = larger(worst, fabs(r.fx - fx) / 1000);
    worst = larger(worst, fabs(r.fy - fy) / 1000);
    worst = larger(worst, fabs(r.mz - mz) / 10);
    worst = larger(worst, fabs(r.my + 0.01 * 0.31 * 1000 * f));
  }
  assert_true(worst <= 1e-12);
  /* combined: inside the ellipse of the two peaks, and continuous where a slip is nothing */
  tire->mode = 4;
  tire->A9 = tire->A10 = tire->A12 = tire->A13 = tire->B9 = tire->B10 = 0;
  trm_tire_slip slip = {4000, 0.1, 0.1, 0, 20};
  trm_tire_forces both, none, least;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &both, NULL);
  double dx = -21.3 * 16 + 1144 * 4, dy = -22.1 * 16 + 1011 * 4;
  assert_true(pow(both.fx / dx, 2) + pow(both.fy / dy, 2) <= 1 + 1e-9);
  double slopes[5][5], again[5][5];
  slip.kappa = 0;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &none, slopes);
  slip.kappa = 1e-7;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &slip, 1, &least, again);
  assert_true(fabs(slopes[0][1] / again[0][1] - 1) <= 1e-6 && none.fx == 0);
  trm_tire_destroy(tire);
  trm_diagnostics_destroy(diagnostics);
}

/* Any bytes are either a tire or errors, never a crash; a tire that was accepted computes. */
static void damaged_files(void **state) {
  (void)state;
  static char text[1 << 16];
  uint64_t seed = 88172645463325252u;
  for (int k = 0; k < 300; k++) {
    strcpy(text, file_text(k % 2 ? "models/vehicle/van.tir" : "models/vehicle/sedan.tir"));
    size_t length = strlen(text);
    for (int i = 0; i < 1 + k % 20; i++) {
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
      text[seed % length] = "[]={}$!'\"\n\r -.e09A\xff"[(seed >> 32) % 20];
    }
    if (k % 7 == 0) text[seed % length] = 0;
    trm_diagnostics *diagnostics = trm_diagnostics_create();
    trm_tire *tire = load_text(text, diagnostics);
    assert_true((tire == NULL) == (trm_diagnostics_errors(diagnostics) > 0));
    trm_tire_slip slip = {3000, 0.02, 0.03, 0.01, 20};
    trm_tire_forces f = {0};
    if (tire) trm_tire_evaluate(tire, TRM_TIRE_RIGHT, &slip, 1, &f, NULL);
    assert_false(isnan(f.fx) || isnan(f.fy) || isnan(f.mz));
    trm_tire_destroy(tire);
    trm_diagnostics_destroy(diagnostics);
  }
}

/* Windows line ends and a byte order mark change nothing. */
static void windows_files(void **state) {
  (void)state;
  static char text[1 << 17];
  size_t at = (size_t)sprintf(text, "\xef\xbb\xbf");
  for (const char *c = file_text("models/vehicle/sedan.tir"); *c; c++) {
    if (*c == '\n') text[at++] = '\r';
    text[at++] = *c;
  }
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_tire *tire = load_text(text, diagnostics);
  assert_int_equal(trm_diagnostics_count(diagnostics), 0);
  assert_non_null(tire);
  trm_tire_destroy(tire);
  trm_diagnostics_destroy(diagnostics);
}

/* TYRESIDE 'SYMMETRIC': mirrored slips give mirrored forces. */
static void symmetric_tires(void **state) {
  (void)state;
  trm_tire *tire = load_text(changed("'LEFT'", "'symmetric'"), NULL);
  assert_non_null(tire);
  trm_tire_slip a = {4000, 0.03, 0.05, 0.02, 20}, b = {4000, 0.03, -0.05, -0.02, 20};
  trm_tire_forces f, g;
  trm_tire_evaluate(tire, TRM_TIRE_LEFT, &a, 1, &f, NULL);
  trm_tire_evaluate(tire, TRM_TIRE_RIGHT, &b, 1, &g, NULL);
  assert_true(fabs(f.fx - g.fx) <= 1e-9 && fabs(f.fy + g.fy) <= 1e-9 && fabs(f.mz + g.mz) <= 1e-9);
  trm_tire_destroy(tire);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mistakes_are_named),  cmocka_unit_test(all_mistakes_at_once),
      cmocka_unit_test(units_are_converted), cmocka_unit_test(load_curves),
      cmocka_unit_test(formulas_of_1989),    cmocka_unit_test(symmetric_tires),
      cmocka_unit_test(damaged_files),       cmocka_unit_test(windows_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Reads a property file: every mistake is named with its place, every default is listed. */
#define _POSIX_C_SOURCE 200809L
#include "tire/read.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/locale.h"
#include "base/text.h"

enum { LARGEST_FILE = 4 << 20, MOST_POINTS = 1000, GROUPS = 15 };

typedef struct key {
  const char *name;
  size_t offset; /* in the tire */
  double fallback;
  trm_tire_unit unit;
  double low, high;
} key;

#define KEY(name, fallback, unit, low, high)                                                       \
  {#name, offsetof(struct trm_tire, name), fallback, unit, low, high},
static const key keys[] = {TRM_TIRE_EVERY(KEY)};
#undef KEY
enum { KEYS = sizeof keys / sizeof *keys };

/* Keys belong together by the section that vendors put them in. */
typedef struct group {
  const char *section; /* "" : no section has to be there */
  bool of[2];          /* used by PAC2002, PAC89 */
  bool needed;
  int count; /* of its keys */
} group;

#define KEY(...) +1
enum {
  N_MODEL = 0 TRM_TIRE_MODEL(KEY),
  N_DIMENSION = 0 TRM_TIRE_DIMENSION(KEY),
  N_VERTICAL = 0 TRM_TIRE_VERTICAL(KEY),
  N_NOMINAL = 0 TRM_TIRE_NOMINAL(KEY),
  N_RANGES = 0 TRM_TIRE_RANGES(KEY),
  N_SCALING = 0 TRM_TIRE_SCALING(KEY),
  N_LONGITUDINAL = 0 TRM_TIRE_LONGITUDINAL(KEY),
  N_LATERAL = 0 TRM_TIRE_LATERAL(KEY),
  N_OVERTURNING = 0 TRM_TIRE_OVERTURNING(KEY),
  N_ROLLING = 0 TRM_TIRE_ROLLING(KEY),
  N_ALIGNING = 0 TRM_TIRE_ALIGNING(KEY),
  N_PARAMETER = 0 TRM_TIRE_1989_PARAMETER(KEY),
  N_1989_LATERAL = 0 TRM_TIRE_1989_LATERAL(KEY),
  N_1989_LONGITUDINAL = 0 TRM_TIRE_1989_LONGITUDINAL(KEY),
  N_1989_ALIGNING = 0 TRM_TIRE_1989_ALIGNING(KEY),
};
#undef KEY

/* in the order of the keys */
static const group groups[GROUPS] = {
    {"MODEL", {true, true}, true, N_MODEL},
    {"DIMENSION", {true, true}, true, N_DIMENSION},
    {"VERTICAL", {true, true}, true, N_VERTICAL},
    {"VERTICAL", {true, false}, true, N_NOMINAL},
    {"", {true, true}, false, N_RANGES},
    {"SCALING_COEFFICIENTS", {true, false}, false, N_SCALING},
    {"LONGITUDINAL_COEFFICIENTS", {true, false}, true, N_LONGITUDINAL},
    {"LATERAL_COEFFICIENTS", {true, false}, true, N_LATERAL},
    {"OVERTURNING_COEFFICIENTS", {true, false}, false, N_OVERTURNING},
    {"ROLLING_COEFFICIENTS", {true, false}, false, N_ROLLING},
    {"ALIGNING_COEFFICIENTS", {true, false}, true, N_ALIGNING},
    {"PARAMETER", {false, true}, false, N_PARAMETER},
    {"LATERAL_COEFFICIENTS", {false, true}, true, N_1989_LATERAL},
    {"LONGITUDINAL_COEFFICIENTS", {false, true}, true, N_1989_LONGITUDINAL},
    {"ALIGNING_COEFFICIENTS", {false, true}, true, N_1989_ALIGNING},
};

/* What vendors write and no formula here uses. */
static const char *const silent[] = {"FILE_TYPE",
                                     "FILE_VERSION",
                                     "FILE_FORMAT",
                                     "COMMENTS",
                                     "TIRE_VERSION",
                                     "PROPERTY_FILE_FORMAT",
                                     "TYRESIDE",
                                     "TIRESIDE",
                                     "FITTYP",
                                     "FITTYPE",
                                     "FUNCTION_NAME",
                                     "TYPE",
                                     "WIDTH",
                                     "RIM_RADIUS",
                                     "RIM_WIDTH",
                                     "ASPECT_RATIO",
                                     "MASS",
                                     "IXX",
                                     "IYY",
                                     "IZZ",
                                     "LATERAL_STIFFNESS",
                                     "ROLLING_RADIUS",
                                     "LGYR",
                                     "N_TIRE_STATES",
                                     "MFSAFE1",
                                     "MFSAFE2",
                                     "MFSAFE3",
                                     "USER_SUB_ID",
                                     "CONTACT_MODEL"};
static const char *const table_sections[] = {"SHAPE", "DEFLECTION_LOAD_CURVE", "BOTTOMING_CURVE",
                                             "CONTACT_SURFACE_POINTS"};
static const char *const turn_slip[] = {"PDXP", "PKYP", "PDYP", "PHYP", "PECP",
                                        "QDTP", "QCRP", "QBRP", "QDRP"};

typedef struct reading {
  trm_tir_reader lines;
  trm_tir_units units;
  trm_tire *tire;
  char section[64];
  bool sections[GROUPS], has_units, has_format, has_curve, has_side;
  bool given[KEYS];
  int place_line[KEYS], place_column[KEYS];
  const char *place_source[KEYS];
  int fit;
  int used_turn_slip;
  double curve[MOST_POINTS][2];
} reading;

static double *field(trm_tire *tire, const key *k) {
  return (double *)((char *)tire + k->offset);
}

static bool is_listed(const char *name, const char *const *list, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (strcmp(name, list[k]) == 0) return true;
  return false;
}
#define IS_LISTED(name, list) is_listed(name, list, sizeof(list) / sizeof *(list))

static bool is_turn_slip(const char *name) {
  for (size_t k = 0; k < sizeof turn_slip / sizeof *turn_slip; k++)
    if (strncmp(name, turn_slip[k], 4) == 0) return true;
  return false;
}

__attribute__((format(printf, 4, 5))) static void say(reading *r, trm_severity severity, int column,
                                                      const char *format, ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  trm_report_place(r->lines.diagnostics, severity, trm_tir_place(&r->lines, column), "%s", message);
}

/* --- line by line --- */

static void take_format(reading *r, const trm_tir_line *line) {
  r->has_format = true;
  if (strcasecmp(line->text, "PAC2002") == 0 || strcasecmp(line->text, "MF05") == 0 ||
      strcasecmp(line->text, "MF_05") == 0 || strcasecmp(line->text, "MF-TYRE") == 0)
    r->tire->format = TRM_TIRE_PAC2002;
  else if (strcasecmp(line->text, "PAC89") == 0)
    r->tire->format = TRM_TIRE_PAC89;
  else
    say(r, TRM_ERROR, line->column,
        "PROPERTY_FILE_FORMAT '%s' is not known; 'PAC2002' (MF 5.2) and 'PAC89' are", line->text);
}

static void take_fit(reading *r, const trm_tir_line *line) {
  static const double known[] = {5, 6, 51, 52};
  for (size_t k = 0; line->count && k < sizeof known / sizeof *known; k++)
    if (line->numbers[0] == known[k]) {
      r->fit = (int)known[k];
      return;
    }
  say(r, TRM_ERROR, line->column, "%s %s is not known; 5, 6, 51 and 52 (MF 5.2) are", line->name,
      line->text);
}

static void take_side(reading *r, const trm_tir_line *line) {
  static const char *const names[] = {"LEFT", "RIGHT", "SYMMETRIC"};
  r->has_side = true;
  for (int k = 0; k < 3; k++)
    if (strcasecmp(line->text, names[k]) == 0) {
      r->tire->side = (trm_tire_side)k;
      return;
    }
  say(r, TRM_ERROR, line->column, "%s '%s' should be 'LEFT', 'RIGHT' or 'SYMMETRIC'", line->name,
      line->text);
}

static int find_key(const char *name) {
  for (int k = 0; k < KEYS; k++)
    if (strcmp(keys[k].name, name) == 0) return k;
  return -1;
}

static void take_number(reading *r, const trm_tir_line *line, int k) {
  if (!line->count) {
    say(r, TRM_ERROR, line->column, "%s is '%s', it should be a number", line->name, line->text);
    r->given[k] = true; /* said once */
    return;
  }
  if (r->given[k])
    say(r, TRM_WARNING, line->column, "%s was given on line %d already; this one counts",
        line->name, r->place_line[k]);
  r->given[k] = true;
  r->place_line[k] = r->lines.number;
  r->place_column[k] = line->column;
  r->place_source[k] = r->lines.line;
  *field(r->tire, &keys[k]) = line->numbers[0];
}

static void name_unknown(reading *r, const trm_tir_line *line) {
  const char *names[KEYS];
  for (int k = 0; k < KEYS; k++) names[k] = keys[k].name;
  /* coefficients differ by a digit: what is near is not what was meant */
  bool word = strlen(line->name) > 6;
  const char *nearest = word ? trm_nearest(line->name, names, KEYS) : NULL;
  if (nearest)
    say(r, TRM_WARNING, line->column, "unknown key %s is left out; did you mean %s?", line->name,
        nearest);
  else
    say(r, TRM_WARNING, line->column, "unknown key %s is left out", line->name);
}

static void take_key(reading *r, const trm_tir_line *line) {
  int k = find_key(line->name);
  if (strcmp(r->section, "UNITS") == 0) {
    if (!trm_tir_unit(&r->units, &r->lines, line)) name_unknown(r, line);
  } else if (strcmp(line->name, "PROPERTY_FILE_FORMAT") == 0)
    take_format(r, line);
  else if (strcmp(line->name, "FITTYP") == 0 || strcmp(line->name, "FITTYPE") == 0)
    take_fit(r, line);
  else if (strcmp(line->name, "TYRESIDE") == 0 || strcmp(line->name, "TIRESIDE") == 0)
    take_side(r, line);
  else if (k >= 0)
    take_number(r, line, k);
  else if (is_turn_slip(line->name))
    r->used_turn_slip++;
  else if (!IS_LISTED(line->name, silent) && strcmp(r->section, "MDI_HEADER") != 0)
    name_unknown(r, line);
}

static void take_row(reading *r, const trm_tir_line *line) {
  if (strcmp(r->section, "DEFLECTION_LOAD_CURVE") != 0) {
    if (!IS_LISTED(r->section, table_sections))
      say(r, TRM_ERROR, line->column, "section [%s] has no table; 'KEY = VALUE' expected",
          r->section);
    return;
  }
  r->has_curve = true;
  int n = r->tire->curve_count;
  if (line->count != 2)
    say(r, TRM_ERROR, line->column, "a row has two numbers here: deflection and load");
  else if (n == MOST_POINTS)
    say(r, TRM_ERROR, line->column, "a curve may have at most %d points", MOST_POINTS);
  else if (n > 0 &&
           !(line->numbers[0] > r->curve[n - 1][0] && line->numbers[1] > r->curve[n - 1][1]))
    say(r, TRM_ERROR, line->column, "deflections and loads should rise from row to row");
  else {
    memcpy(r->curve[n], line->numbers, sizeof r->curve[n]);
    r->tire->curve_count++;
  }
}

static void take_section(reading *r, const trm_tir_line *line) {
  snprintf(r->section, sizeof r->section, "%s", line->name);
  if (strcmp(r->section, "UNITS") == 0) r->has_units = true;
  for (int g = 0; g < GROUPS; g++)
    if (strcmp(r->section, groups[g].section) == 0) r->sections[g] = true;
  if (strcmp(r->section, "BOTTOMING_CURVE") == 0)
    say(r, TRM_WARNING, line->column,
        "section [BOTTOMING_CURVE] is left out: the rim never touches the road");
}

static void take_lines(reading *r) {
  trm_tir_line line;
  while (trm_tir_next(&r->lines, &line)) switch (line.kind) {
    case TIR_SECTION: take_section(r, &line); break;
    case TIR_KEY: take_key(r, &line); break;
    case TIR_ROW: take_row(r, &line); break;
    }
}

/* --- the whole --- */

static void check_sections(reading *r) {
  if (!r->has_units)
    say(r, TRM_ERROR, 1,
        "section [UNITS] is missing: LENGTH, FORCE, ANGLE, MASS and TIME say what the numbers "
        "mean");
  for (int g = 0; g < GROUPS; g++) {
    if (r->sections[g] || !groups[g].needed || !groups[g].of[r->tire->format]) continue;
    bool again = g > 0 && strcmp(groups[g].section, groups[g - 1].section) == 0;
    /* the form of 1989 has its vertical numbers under [PARAMETER] */
    bool elsewhere =
        r->tire->format == TRM_TIRE_PAC89 && strcmp(groups[g].section, "VERTICAL") == 0;
    if (!again && !elsewhere)
      say(r, TRM_ERROR, 1, "section [%s] is missing: a %s file needs it", groups[g].section,
          r->tire->format == TRM_TIRE_PAC89 ? "PAC89" : "PAC2002");
  }
  if (r->sections[0] && !r->has_format && r->fit == 0)
    say(r, TRM_ERROR, 1,
        "PROPERTY_FILE_FORMAT is missing: 'PAC2002' (MF 5.2) or 'PAC89' in section [MODEL]");
}

static bool has_default(const reading *r, const key *k) {
  if (strcmp(k->name, "VERTICAL_STIFFNESS") == 0) return r->has_curve;
  return !isnan(k->fallback);
}

/* The keys of a group that the file leaves out: an error, or a default in one note. */
static void fill_group(reading *r, const group *g, int first) {
  char list[400] = "";
  size_t used = 0;
  bool section = !*g->section || r->sections[g - groups];
  const char *where = *g->section ? g->section : "ranges";
  for (int k = first; k < first + g->count; k++) {
    if (r->given[k]) continue;
    *field(r->tire, &keys[k]) = keys[k].fallback;
    if (!has_default(r, &keys[k])) {
      if (section || strcmp(g->section, "VERTICAL") == 0)
        say(r, TRM_ERROR, 1, "%s is missing in section [%s], and there is no default for it",
            keys[k].name, where);
    } else if (used < sizeof list - 40)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s = %g", used ? ", " : "",
                               keys[k].name, keys[k].fallback);
  }
  if (used)
    trm_report_place(r->lines.diagnostics, TRM_NOTE, (trm_place){.file = r->lines.file},
                     "[%s] by default: %s", where, list);
}

static trm_place place_of(const reading *r, int k) {
  return (trm_place){.file = r->lines.file,
                     .line = r->place_line[k],
                     .column = r->place_column[k],
                     .source = r->place_source[k]};
}

static void check_value(reading *r, int k) {
  double value = *field(r->tire, &keys[k]);
  if (value >= keys[k].low && value <= keys[k].high) return;
  trm_place place = place_of(r, k);
  const char *should = keys[k].low == 0    ? "not be negative"
                       : keys[k].low > 0   ? "be positive"
                       : keys[k].high == 0 ? "not be positive"
                                           : "be negative";
  trm_report_place(r->lines.diagnostics, TRM_ERROR, place, "%s is %g, it should %s", keys[k].name,
                   value, should);
}

static void fill_keys(reading *r) {
  for (int g = 0, first = 0; g < GROUPS; first += groups[g++].count)
    if (groups[g].of[r->tire->format]) fill_group(r, &groups[g], first);
  for (int k = 0; k < KEYS; k++) {
    if (!r->given[k]) continue;
    if (r->place_line[k]) check_value(r, k);
    *field(r->tire, &keys[k]) *= trm_tir_factor(&r->units, keys[k].unit);
  }
}

static void check_mode(reading *r) {
  trm_tire *t = r->tire;
  double mode = t->USE_MODE >= 10 ? t->USE_MODE - 10 : t->USE_MODE;
  t->relaxes = t->USE_MODE >= 10;
  t->mode = (int)mode;
  if (mode == floor(mode) && mode >= 0 && mode <= 4) return;
  int k = find_key("USE_MODE");
  trm_place place = place_of(r, k);
  trm_report_place(r->lines.diagnostics, TRM_ERROR, place,
                   "USE_MODE is %g, it should be 0 to 4, or 10 to 14 with relaxation", t->USE_MODE);
}

static void check_range(reading *r, const char *low, const char *high) {
  int a = find_key(low), b = find_key(high);
  if (*field(r->tire, &keys[a]) < *field(r->tire, &keys[b])) return;
  int k = r->given[b] ? b : a;
  trm_place place = place_of(r, k);
  trm_report_place(r->lines.diagnostics, TRM_ERROR, place, "%s should be below %s", low, high);
}

/* Slopes after Fritsch and Carlson: the curve rises wherever its points do. */
static bool make_curve(reading *r) {
  trm_tire *t = r->tire;
  int n = t->curve_count;
  if (n == 0) return true;
  if (n < 2) {
    say(r, TRM_ERROR, 1, "section [DEFLECTION_LOAD_CURVE] has one point, it needs two or more");
    return true;
  }
  bool zero = r->curve[0][0] == 0;
  if (r->curve[0][0] < 0 || (zero && r->curve[0][1] != 0) || r->curve[0][1] < 0) {
    say(r, TRM_ERROR, 1, "section [DEFLECTION_LOAD_CURVE] should start at 0, 0");
    return true;
  }
  int shift = zero ? 0 : 1; /* (0, 0) is its first point */
  t->curve_count = n + shift;
  t->curve_at = calloc(3 * (size_t)t->curve_count, sizeof(double));
  if (!t->curve_at) return false;
  t->curve_load = t->curve_at + t->curve_count;
  t->curve_slope = t->curve_load + t->curve_count;
  for (int k = 0; k < n; k++) {
    t->curve_at[k + shift] = r->curve[k][0] * r->units.length;
    t->curve_load[k + shift] = r->curve[k][1] * r->units.force;
  }
  double before = 0;
  for (int k = 0; k < t->curve_count; k++) {
    bool last = k == t->curve_count - 1;
    double after =
        last ? 0
             : (t->curve_load[k + 1] - t->curve_load[k]) / (t->curve_at[k + 1] - t->curve_at[k]);
    t->curve_slope[k] = k == 0 ? after : last ? before : 2 * before * after / (before + after);
    before = after;
  }
  int k = find_key("VERTICAL_STIFFNESS");
  if (!r->given[k])
    t->VERTICAL_STIFFNESS = t->curve_load[t->curve_count - 1] / t->curve_at[t->curve_count - 1];
  return true;
}

/* Left and right alike: nothing that changes sign in a mirror is left. */
static void make_symmetric(trm_tire *t) {
  if (t->side != TRM_TIRE_SYMMETRIC) return;
  t->RHX1 = t->PEY3 = t->PHY1 = t->PHY2 = t->PVY1 = t->PVY2 = t->RBY3 = t->RVY1 = t->RVY2 = 0;
  t->QSX1 = t->QBZ4 = t->QDZ3 = t->QDZ6 = t->QDZ7 = t->QEZ4 = t->QHZ1 = t->QHZ2 = t->SSZ1 = 0;
  t->A9 = t->A10 = t->A12 = t->A13 = t->C12 = t->C13 = t->C16 = t->C17 = 0;
}

static bool finish(reading *r) {
  check_sections(r);
  fill_keys(r);
  check_mode(r);
  check_range(r, "FZMIN", "FZMAX");
  check_range(r, "KPUMIN", "KPUMAX");
  check_range(r, "ALPMIN", "ALPMAX");
  check_range(r, "CAMMIN", "CAMMAX");
  if (!r->has_side)
    trm_report_place(r->lines.diagnostics, TRM_NOTE, (trm_place){.file = r->lines.file},
                     "[MODEL] by default: TYRESIDE = 'LEFT'");
  if (r->used_turn_slip)
    trm_report_place(r->lines.diagnostics, TRM_NOTE, (trm_place){.file = r->lines.file},
                     "%d coefficients of turn slip are left out", r->used_turn_slip);
  make_symmetric(r->tire);
  return make_curve(r);
}

/* --- the file --- */

/* Whether a section of such files begins somewhere: lines of other files are not shown, they may be
 * secrets. */
static bool is_property_file(const char *text) {
  for (const char *at = text; (at = strchr(at, '['));) {
    const char *name = ++at;
    size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_");
    if (length == 5 && strncasecmp(name, "UNITS", 5) == 0) return true;
    if (length == 10 && strncasecmp(name, "MDI_HEADER", 10) == 0) return true;
    for (int g = 0; g < GROUPS; g++)
      if (length > 0 && strlen(groups[g].section) == length &&
          strncasecmp(name, groups[g].section, length) == 0)
        return true;
  }
  return false;
}

static char *read_bytes(const char *path, trm_diagnostics *diagnostics, trm_status *status) {
  trm_file file = trm_file_read(path, "tire file", LARGEST_FILE);
  *status = file.status;
  bool binary = file.text && memchr(file.text, 0, file.length);
  if (file.text && !binary && is_property_file(file.text)) return file.text;
  if (file.text) *status = TRM_BAD_MODEL;
  trm_report_place(diagnostics, TRM_ERROR, (trm_place){.file = path}, "%s",
                   binary      ? "this is no text: it has zero bytes"
                   : file.text ? "this is no property file of a tire: it has no section [MODEL]"
                               : file.reason);
  free(file.text);
  return NULL;
}

static trm_tire *parse(const char *path, const char *text, trm_diagnostics *diagnostics,
                       trm_status *status) {
  int before = trm_diagnostics_errors(diagnostics);
  reading *r = calloc(1, sizeof *r);
  trm_tire *tire = calloc(1, sizeof *tire);
  *status = TRM_NO_MEMORY;
  if (r && tire) {
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* a byte order mark */
    r->lines = (trm_tir_reader){path, text, text, text, 0, diagnostics};
    r->units = (trm_tir_units){1, 1, 1, 1, 1};
    r->tire = tire;
    take_lines(r);
    if (finish(r)) *status = TRM_OK;
  }
  free(r);
  if (*status == TRM_OK && trm_diagnostics_errors(diagnostics) > before) *status = TRM_BAD_MODEL;
  if (*status == TRM_OK) {
    trm_tire_prepare_grip(tire);
    return tire;
  }
  trm_tire_destroy(tire);
  return NULL;
}

trm_tire *trm_tire_load(const char *path, trm_diagnostics *diagnostics, trm_status *status) {
  trm_status own;
  trm_diagnostics *unheard = diagnostics ? NULL : trm_diagnostics_create();
  if (!status) status = &own;
  if (!diagnostics) diagnostics = unheard; /* errors are counted there */
  *status = TRM_NO_MEMORY;
  if (!diagnostics) return NULL;
  trm_locale caller = trm_locale_begin();
  char *text = read_bytes(path, diagnostics, status);
  trm_tire *tire = text ? parse(path, text, diagnostics, status) : NULL;
  trm_locale_end(caller);
  if (text && *status == TRM_NO_MEMORY)
    trm_report_place(diagnostics, TRM_ERROR, (trm_place){.file = path}, "out of memory");
  free(text);
  trm_diagnostics_destroy(unheard);
  return tire;
}

void trm_tire_destroy(trm_tire *tire) {
  if (tire) free(tire->curve_at);
  free(tire);
}

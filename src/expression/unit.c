/* The units, by their size in SI and their dimension. */
#include "expression/unit.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "expression/function.h"

static const trm_units systems[] = {{"SI", 1, 1}, {"mm-N-s-t", 1e-3, 1e3}};

const trm_units *trm_units_get(int index) {
  return index < (int)(sizeof systems / sizeof *systems) ? &systems[index] : NULL;
}

/* `t` is the time, so a tonne has its whole name. */
static const struct {
  const char *name;
  double size;
  trm_dimension dimension;
} table[] = {
    {"m", 1, {1, 0, 0}},
    {"mm", 1e-3, {1, 0, 0}},
    {"cm", 1e-2, {1, 0, 0}},
    {"um", 1e-6, {1, 0, 0}},
    {"km", 1e3, {1, 0, 0}},
    {"in", 0.0254, {1, 0, 0}},
    {"ft", 0.3048, {1, 0, 0}},
    {"kg", 1, {0, 1, 0}},
    {"g", 1e-3, {0, 1, 0}},
    {"tonne", 1e3, {0, 1, 0}},
    {"lb", 0.45359237, {0, 1, 0}},
    {"s", 1, {0, 0, 1}},
    {"ms", 1e-3, {0, 0, 1}},
    {"us", 1e-6, {0, 0, 1}},
    {"min", 60, {0, 0, 1}},
    {"h", 3600, {0, 0, 1}},
    {"Hz", 1, {0, 0, -1}},
    {"kHz", 1e3, {0, 0, -1}},
    {"rad", 1, {0, 0, 0}},
    {"deg", TRM_PI / 180, {0, 0, 0}},
    {"rev", 2 * TRM_PI, {0, 0, 0}},
    {"rpm", TRM_PI / 30, {0, 0, -1}},
    {"N", 1, {1, 1, -2}},
    {"kN", 1e3, {1, 1, -2}},
    {"MN", 1e6, {1, 1, -2}},
    {"mN", 1e-3, {1, 1, -2}},
    {"lbf", 4.4482216152605, {1, 1, -2}},
    {"Nm", 1, {2, 1, -2}},
    {"kNm", 1e3, {2, 1, -2}},
    {"Nmm", 1e-3, {2, 1, -2}},
    {"J", 1, {2, 1, -2}},
    {"kJ", 1e3, {2, 1, -2}},
    {"W", 1, {2, 1, -3}},
    {"kW", 1e3, {2, 1, -3}},
    {"Pa", 1, {-1, 1, -2}},
    {"kPa", 1e3, {-1, 1, -2}},
    {"MPa", 1e6, {-1, 1, -2}},
    {"GPa", 1e9, {-1, 1, -2}},
    {"bar", 1e5, {-1, 1, -2}},
};

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '\'';
}

static int find(const char *text, size_t length) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strlen(table[i].name) == length && memcmp(table[i].name, text, length) == 0) return (int)i;
  return -1;
}

const char *trm_unit_nearest(const char *word) {
  const char *names[sizeof table / sizeof *table];
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) names[i] = table[i].name;
  return trm_nearest(word, names, sizeof table / sizeof *table);
}

/* Length of the single unit that `text` starts with, 0 where the word is none or is called. */
static size_t single(const char *text) {
  size_t n = 0;
  while (is_letter(text[n])) n++;
  bool other = is_word(text[n]) || text[n + strspn(text + n, " \t\r\n")] == '(';
  return n > 0 && !other && find(text, n) >= 0 ? n : 0;
}

static size_t power(const char *text) {
  return text[0] == '^' && text[1] >= '1' && text[1] <= '9' && !is_word(text[2]) ? 2 : 0;
}

size_t trm_unit_length(const char *text) {
  size_t length = single(text);
  if (length == 0) return 0;
  length += power(text + length);
  while (text[length] == '*' || text[length] == '/') {
    size_t more = single(text + length + 1);
    if (more == 0) break;
    length += 1 + more;
    length += power(text + length);
  }
  return length;
}

bool trm_unit_next(const char *text, size_t length, size_t *at, size_t *end) {
  while (*at < length && !is_letter(text[*at])) ++*at;
  *end = *at;
  while (*end < length && is_letter(text[*end])) ++*end;
  return *at < length;
}

/* The power of a single unit in a product of them. */
static int times(const char *text, size_t length, size_t at, size_t end) {
  bool over = at > 0 && text[at - 1] == '/', raised = end + 1 < length && text[end] == '^';
  return (raised ? text[end + 1] - '0' : 1) * (over ? -1 : 1);
}

double trm_unit_value(const char *text, size_t length, const trm_units *units) {
  double value = 1;
  for (size_t at = 0, end; trm_unit_next(text, length, &at, &end); at = end) {
    int k = find(text + at, end - at), n = times(text, length, at, end);
    if (k < 0) return NAN;
    const trm_dimension *d = &table[k].dimension; /* time is in seconds everywhere */
    value *= pow(table[k].size / pow(units->length, d->length) / pow(units->mass, d->mass), n);
  }
  return value;
}

trm_dimension trm_unit_dimension(const char *text, size_t length) {
  trm_dimension sum = {0, 0, 0};
  for (size_t at = 0, end; trm_unit_next(text, length, &at, &end); at = end) {
    int k = find(text + at, end - at), n = times(text, length, at, end);
    if (k < 0) continue;
    sum.length += n * table[k].dimension.length;
    sum.mass += n * table[k].dimension.mass;
    sum.time += n * table[k].dimension.time;
  }
  return sum;
}

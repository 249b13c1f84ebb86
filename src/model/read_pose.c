/* Entries that are several drivers: of a whole pose, `pose: {file: motion.csv}`, six whose laws are
 * tables, three of them Euler angles of the quaternion's tables; of the twelve sequences of axes it
 * takes the one whose angles are determined best in all rows. Of a rotation vector,
 * `rotation: [x, y, z]`, three. */
#include "expression/table.h"
#include "model/read_include.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLACE = 3, QUATERNION = 4, COLUMNS = PLACE + QUATERNION, LONGEST = 4096 };

static const char *const names[COLUMNS] = {"x", "y", "z", "qw", "qx", "qy", "qz"};

typedef struct pose {
  trm_reader *reader;
  trm_yaml *node;                   /* where errors are told */
  const char *body, *file;          /* body: with the prefix of its part */
  const char *own;                  /* as this file calls it: a table of results has such columns */
  trm_points rows[COLUMNS];         /* t and value in turn */
  char table[COLUMNS][LONGEST / 8]; /* formulas */
} pose;

/* "x", or "tool.x". */
static trm_word name_column(const pose *p, int k, int form, char *name, size_t size) {
  snprintf(name, size, "%s%s%s", form ? p->own : "", form ? "." : "", names[k]);
  return (trm_word){name, strlen(name)};
}

static bool read_column(pose *p, int k) {
  char name[256], message[256];
  const trm_word file = {p->file, strlen(p->file)};
  trm_shelf *shelf = p->reader->shelf;
  const char *folder = p->reader->folder;
  trm_word column = name_column(p, k, 1, name, sizeof name);
  for (int form = trm_points_are_kept(shelf, folder, file, column); form < 2; form++) {
    column = name_column(p, k, form, name, sizeof name);
    if (trm_points_read(&p->rows[k], shelf, folder, file, column, message, sizeof message)) {
      snprintf(p->table[k], sizeof p->table[k], "table(t, \"%s\", \"%s\", \"quintic\")", p->file,
               name);
      return true;
    }
    trm_points_free(&p->rows[k]);
    p->rows[k] = (trm_points){0};
  }
  trm_read_error(p->reader, p->node, "%s (also not without '%s.')", message, p->own);
  return false;
}

/* Not of unit length: angles do not depend on it. Column j is the body's axis j. */
static void matrix_of(const double q[4], double R[3][3]) {
  double w = q[0], x = q[1], y = q[2], z = q[3];
  const double m[3][3] = {
      {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
      {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
      {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
  memcpy(R, m, sizeof m);
}

/* The same as formulas of the tables. */
static void entry(const pose *p, int i, int j, char *text, size_t size) {
  const char *w = p->table[PLACE], *v[3];
  for (int k = 0; k < 3; k++) v[k] = p->table[PLACE + 1 + k];
  int l = 3 - i - j, sign = (j - i + 3) % 3 == 1 ? -1 : 1;
  if (i == j)
    snprintf(text, size, "(%s^2 + %s^2 - %s^2 - %s^2)", w, v[i], v[(i + 1) % 3], v[(i + 2) % 3]);
  else
    snprintf(text, size, "2*(%s*%s %c %s*%s)", v[i], v[j], sign < 0 ? '-' : '+', w, v[l]);
}

static bool read_quaternion(const pose *p, size_t row, double q[4]) {
  double size = 0;
  for (int k = 0; k < QUATERNION; k++) {
    q[k] = p->rows[PLACE + k].xy[2 * row + 1];
    size += q[k] * q[k];
  }
  return size > 0;
}

/* How near the rows come to where a sequence fails, for each: 1 is there. */
static bool survey(const pose *p, double worst[27]) {
  size_t count = p->rows[PLACE].count / 2;
  double last[4] = {0, 0, 0, 0}, q[4], R[3][3];
  for (size_t row = 0; row < count; row++) {
    double t = p->rows[PLACE].xy[2 * row], along = 0, size = 0;
    bool good = read_quaternion(p, row, q);
    for (int k = 0; k < 4; k++) along += q[k] * last[k], size += q[k] * q[k];
    if (!good || (row > 0 && !(along > 0))) {
      trm_read_error(p->reader, p->node, "the quaternion of '%.100s' %s at t = %g", p->file,
                     good ? "turns by more than half a turn, or changes its sign," : "is zero", t);
      return false;
    }
    memcpy(last, q, sizeof last);
    matrix_of(q, R);
    for (int s = 0; s < 27; s++) worst[s] = fmax(worst[s], fabs(R[s / 9][s % 3]) / size);
  }
  return true;
}

static int best_sequence(const double worst[27]) {
  int best = -1;
  for (int s = 0; s < 27; s++) {
    int i = s / 9, j = s / 3 % 3, k = s % 3;
    if (i != j && j != k && (best < 0 || worst[s] < worst[best])) best = s;
  }
  return best;
}

/* Formulas of the three angles: see system/euler.c. */
static void write_law(const pose *p, int sequence, int angle, char *law, size_t size) {
  char a[LONGEST], b[LONGEST];
  int i = sequence / 9, j = sequence / 3 % 3, k = sequence % 3, l = 3 - i - j;
  bool proper = i == k;
  char sign = (j - i + 3) % 3 == 1 ? '+' : '-', other = sign == '+' ? '-' : '+';
  if (angle == 0) {
    entry(p, j, proper ? i : k, a, sizeof a);
    entry(p, l, proper ? i : k, b, sizeof b);
    snprintf(law, size, "atan2(%c%s, %c%s)", proper ? '+' : other, a, proper ? other : '+', b);
  } else if (angle == 2) {
    entry(p, i, j, a, sizeof a);
    entry(p, i, l == k ? i : l, b, sizeof b);
    snprintf(law, size, "atan2(%c%s, %c%s)", proper ? '+' : other, a, proper ? sign : '+', b);
  } else {
    char c[LONGEST];
    entry(p, i, k, a, sizeof a);
    entry(p, j, k, b, sizeof b);
    entry(p, l, k, c, sizeof c);
    if (proper)
      snprintf(law, size, "atan2(hypot(%s, %s), %s)", b, c, a);
    else
      snprintf(law, size, "atan2(%c%s, hypot(%s, %s))", sign, a, b, c);
  }
}

static char *keep(trm_reader *reader, const char *text) {
  char *copy = trm_arena_string(reader->document.arena, text);
  if (!copy) reader->no_memory = true;
  return copy;
}

/* The driver JOINT_suffix of BODY.field */
static void add_driver(trm_reader *reader, const char *joint, const char *suffix, const char *body,
                       const char *field, trm_yaml *law) {
  char name[512], of[512];
  snprintf(name, sizeof name, "%s_%s", joint, suffix);
  snprintf(of, sizeof of, "%s.%s", body, field);
  trm_joint_def def = trm_default_joint();
  def.type = TRM_JOINT_DRIVER;
  def.name = keep(reader, name);
  def.of = keep(reader, of);
  if (!def.name || !def.of) return;
  trm_read_formula(reader, law, &def.value);
  trm_part_joint(reader, &def);
  trm_model_add_joint(reader->model, &def);
}

static void add(pose *p, const char *joint, const char *suffix, const char *field,
                const char *law) {
  trm_yaml node = *p->node;
  node.kind = TRM_YAML_TEXT;
  node.quoted = true;
  node.text = keep(p->reader, law);
  if (!node.text) return;
  node.count = (int)strlen(node.text);
  add_driver(p->reader, joint, suffix, p->body, field, &node);
}

static void add_drivers(pose *p, const char *joint) {
  static const char letters[] = "xyz";
  char *law = trm_arena_alloc(p->reader->document.arena, 4 * LONGEST, 1);
  double worst[27] = {0};
  if (!law) p->reader->no_memory = true;
  if (!law || !survey(p, worst)) return;
  int s = best_sequence(worst);
  if (worst[s] > 0.999) {
    trm_read_error(p->reader, p->node,
                   "the orientations of '%.100s' go everywhere: no three angles describe all of "
                   "them; drive parts of the motion one after the other",
                   p->file);
    return;
  }
  for (int k = 0; k < PLACE; k++) add(p, joint, names[k], names[k], p->table[k]);
  for (int angle = 0; angle < 3; angle++) {
    const char suffix[2] = {(char)('1' + angle), 0};
    const char field[5] = {letters[s / 9], letters[s / 3 % 3], letters[s % 3], suffix[0], 0};
    write_law(p, s, angle, law, 4 * LONGEST);
    add(p, joint, suffix, field, law);
  }
}

/* Only what a driver of a pose, or of a rotation, has. */
static bool has_other_keys(trm_reader *reader, const trm_yaml *map, const char *own) {
  for (int i = 0; i < map->count; i++) {
    const char *key = map->pairs[i].key->text;
    if (strcmp(key, "type") == 0 || strcmp(key, "of") == 0 || strcmp(key, own) == 0) continue;
    trm_read_error(reader, map->pairs[i].key, "a driver with '%s' has 'of' besides, no '%.60s'",
                   own, key);
    return true;
  }
  return false;
}

void trm_read_pose_driver(trm_reader *reader, const trm_yaml_pair *pair, trm_yaml *node) {
  const trm_yaml_pair *of = trm_yaml_get(pair->value, "of", 2);
  const trm_yaml_pair *file = node->kind == TRM_YAML_MAP ? trm_yaml_get(node, "file", 4) : NULL;
  const char *text = NULL;
  if (has_other_keys(reader, pair->value, "pose")) return;
  if (!of || !file || node->count != 1) {
    trm_read_error(reader, of ? node : pair->key,
                   "expected 'of: BODY' and 'pose: {file: motion.csv}'");
    return;
  }
  pose *p = trm_arena_alloc(reader->document.arena, 1, sizeof *p);
  if (!p) reader->no_memory = true;
  if (!p || !trm_read_text(reader, file->value, "the name of a file", &text)) return;
  *p = (pose){.reader = reader, .node = file->value, .file = text, .own = of->value->text};
  if (!trm_read_name(reader, of->value, "the body that is driven", &p->body)) return;
  if (strchr(text, '"') || strlen(text) > 200) {
    trm_read_error(reader, file->value, "the name has quotes in it, or more than 200 letters");
    return;
  }
  bool good = true;
  for (int k = 0; k < COLUMNS && good; k++) good = read_column(p, k);
  if (good) add_drivers(p, pair->key->text);
  for (int k = 0; k < COLUMNS; k++) trm_points_free(&p->rows[k]);
}

void trm_read_rotation_driver(trm_reader *reader, const trm_yaml_pair *pair, trm_yaml *node) {
  static const char *const fields[] = {"rx", "ry", "rz"};
  const trm_yaml_pair *of = trm_yaml_get(pair->value, "of", 2);
  const char *body;
  if (has_other_keys(reader, pair->value, "rotation")) return;
  if (!of || node->kind != TRM_YAML_LIST || node->count != 3) {
    trm_read_error(reader, of ? node : pair->key,
                   "expected 'of: BODY' and 'rotation: [x, y, z]', three formulas of t");
    return;
  }
  if (!trm_read_name(reader, of->value, "the body that is driven", &body)) return;
  for (int k = 0; k < 3; k++)
    add_driver(reader, pair->key->text, names[k], body, fields[k], node->items[k]);
}

int trm_read_joint_count(const trm_yaml *entry) {
  if (entry->kind != TRM_YAML_MAP) return 1;
  if (trm_yaml_get(entry, "pose", 4)) return PLACE + 3;
  return trm_yaml_get(entry, "rotation", 8) ? 3 : 1;
}

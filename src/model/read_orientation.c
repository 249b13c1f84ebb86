/* Orientations in space, in any of five forms. */
#include "model/read_parts.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

/* One bit for each key. */
enum { QUATERNION = 1, AXIS = 2, ANGLE = 4, EULER = 8, ANGLES = 16, X = 32, Y = 64, MATRIX = 128 };

typedef struct orientation {
  unsigned seen, good; /* keys, and those without an error */
  double quaternion[4], axis[3], angle, angles[3], x[3], y[3], matrix[9];
  const char *euler;
} orientation;

static void note(orientation *o, unsigned key, bool good) {
  o->seen |= key;
  if (good) o->good |= key;
}

static void read_quaternion(trm_reader *reader, trm_yaml *node, void *target) {
  orientation *o = target;
  note(o, QUATERNION, trm_read_vector(reader, node, 4, o->quaternion));
}

static void read_axis(trm_reader *reader, trm_yaml *node, void *target) {
  orientation *o = target;
  note(o, AXIS, trm_read_direction(reader, node, 3, o->axis));
}

static void read_angle(trm_reader *reader, trm_yaml *node, void *target) {
  orientation *o = target;
  note(o, ANGLE, trm_read_number(reader, node, &o->angle));
}

/* Two axes in a row are never the same: 12 sequences. */
static bool is_sequence(const char *text) {
  return strlen(text) == 3 && strspn(text, "xyz") == 3 && text[0] != text[1] && text[1] != text[2];
}

static void read_euler(trm_reader *reader, trm_yaml *node, void *target) {
  orientation *o = target;
  bool good = trm_read_text(reader, node, "a sequence of axes like zxz", &o->euler);
  if (good && !is_sequence(o->euler)) {
    trm_read_error(reader, node,
                   "'%.20s' is no sequence of three axes like zxz or xyz, each different from the "
                   "one before",
                   o->euler);
    good = false;
  }
  note(o, EULER, good);
}

static void read_angles(trm_reader *reader, trm_yaml *node, void *target) {
  orientation *o = target;
  note(o, ANGLES, trm_read_vector(reader, node, 3, o->angles));
}

static void read_x(trm_reader *reader, trm_yaml *node, void *target) {
  orientation *o = target;
  note(o, X, trm_read_vector(reader, node, 3, o->x));
}

static void read_y(trm_reader *reader, trm_yaml *node, void *target) {
  orientation *o = target;
  note(o, Y, trm_read_vector(reader, node, 3, o->y));
}

static void read_matrix(trm_reader *reader, trm_yaml *node, void *target) {
  orientation *o = target;
  bool good = trm_read_list(reader, node, 3, "rows");
  for (int i = 0; good && i < 3; i++)
    good &= trm_read_vector(reader, node->items[i], 3, &o->matrix[3 * i]);
  note(o, MATRIX, good);
}

/* Returns false where there is no direction. Scaled first: squares may leave the range. */
static bool normalize(int count, double *v) {
  double largest = 0;
  for (int k = 0; k < count; k++) largest = fmax(largest, fabs(v[k]));
  if (largest == 0) return false;
  for (int k = 0; k < count; k++) v[k] /= largest;
  double length = trm_norm_of(count, v);
  for (int k = 0; k < count; k++) v[k] /= length;
  return true;
}

static void from_quaternion(const double p[4], double R[9]) {
  double w = p[0], x = p[1], y = p[2], z = p[3];
  const double rows[9] = {
      1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
      2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
      2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(R, rows, sizeof rows);
}

/* R = n nᵀ + cos a (I − n nᵀ) + sin a [n×] */
static void from_axis(const double n[3], double angle, double R[9]) {
  double c = cos(angle), s = sin(angle);
  for (int i = 0; i < 9; i++) R[i] = n[i / 3] * n[i % 3] * (1 - c) + (i % 4 == 0 ? c : 0);
  const double cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
  for (int i = 0; i < 9; i++) R[i] += s * cross[i];
}

/* R ← R B */
static void turn(double R[9], const double B[9]) {
  double A[9];
  memcpy(A, R, sizeof A);
  for (int i = 0; i < 9; i++) {
    const double *row = &A[i / 3 * 3];
    R[i] = row[0] * B[i % 3] + row[1] * B[3 + i % 3] + row[2] * B[6 + i % 3];
  }
}

static void from_euler(const char *sequence, const double angles[3], double R[9]) {
  const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  memcpy(R, unit, sizeof unit);
  for (int k = 0; k < 3; k++) {
    double n[3] = {0, 0, 0}, B[9];
    n[sequence[k] - 'x'] = 1;
    from_axis(n, angles[k], B);
    turn(R, B);
  }
}

/* The columns are x, what y has across it, and their product. Returns why not, or NULL. */
static const char *from_two_axes(double x[3], double y[3], double R[9]) {
  const double parallel = 1e-6;
  double across[3], z[3];
  if (!normalize(3, x)) return "the x axis has length zero, it must have a direction";
  if (!normalize(3, y)) return "the y axis has length zero, it must have a direction";
  trm_cross(x, y, z);
  if (trm_norm(3, z) <= parallel) return "the x and y axes are parallel, they must not be";
  normalize(3, z);
  trm_cross(z, x, across);
  for (int k = 0; k < 3; k++) {
    R[3 * k] = x[k];
    R[3 * k + 1] = across[k];
    R[3 * k + 2] = z[k];
  }
  return NULL;
}

/* Returns what is wrong, or NULL. */
static const char *make(orientation *o, double R[9]) {
  switch (o->seen) {
  case QUATERNION:
    if (!normalize(4, o->quaternion)) return "the quaternion has length zero";
    from_quaternion(o->quaternion, R);
    return NULL;
  case AXIS | ANGLE:
    if (!normalize(3, o->axis)) return "the axis has length zero, it must have a direction";
    from_axis(o->axis, o->angle, R);
    return NULL;
  case EULER | ANGLES: from_euler(o->euler, o->angles, R); return NULL;
  case X | Y: return from_two_axes(o->x, o->y, R);
  case MATRIX: memcpy(R, o->matrix, sizeof o->matrix); return NULL;
  default: break;
  }
  return "expected one of {quaternion: [w, x, y, z]}, {axis: [x, y, z], angle: a}, {euler: zxz, "
         "angles: [a, b, c]}, {x: [..], y: [..]} and {matrix: [[..], [..], [..]]}";
}

void trm_read_orientation(trm_reader *reader, trm_yaml *node, double R[9]) {
  static const trm_field fields[] = {
      {"quaternion", read_quaternion, 1, 0},
      {"axis", read_axis, 1, 0},
      {"angle", read_angle, 1, 0},
      {"euler", read_euler, 1, 0},
      {"angles", read_angles, 1, 0},
      {"x", read_x, 1, 0},
      {"y", read_y, 1, 0},
      {"matrix", read_matrix, 1, 0},
  };
  static const trm_schema schema = {fields, sizeof fields / sizeof *fields, NULL, NULL};
  orientation o = {0};
  if (node->kind != TRM_YAML_MAP) {
    trm_read_error(reader, node, "expected a map like {axis: [0, 0, 1], angle: pi/2}, found %s",
                   trm_yaml_kind_name(node));
    return;
  }
  trm_read_fields(reader, &(trm_yaml_pair){node, node}, &schema, 0, &o);
  reader->key = "orientation";
  if (o.seen != o.good || node->bad) return;
  const char *wrong = make(&o, R);
  if (wrong) trm_read_error(reader, node, "%s", wrong);
}

/* Measures of a part that is mirrored or moved: whose sign turns, and what is added. */
#include "model/build.h"
#include "model/read_include.h"

#include <string.h>

typedef enum nature { PLACE, POLAR, AXIAL } nature;

/* Vectors, by what stands before the letter of the component. */
static const struct {
  const char *stem;
  nature nature;
} vectors[] = {{"", PLACE},  {"v", POLAR},     {"a", POLAR}, {"f", POLAR}, {"u", POLAR},
               {"w", AXIAL}, {"alpha", AXIAL}, {"t", AXIAL}, {"r", AXIAL}, {"q", AXIAL}};

/* Components with names of their own, of the three axes in turn. */
static const struct {
  const char *name[3];
  nature nature;
} named[] = {{{"u", "v", "w"}, POLAR},      {{"p", "q", "r"}, AXIAL},
             {{"aX", "aY", "aZ"}, POLAR},   {{"uh", "vh", NULL}, POLAR},
             {{"axh", "ayh", NULL}, POLAR}, {{"roll", "pitch", "yaw"}, AXIAL}};

static double component(const trm_frame *frame, nature how, int k, double *shift) {
  if (how == PLACE) *shift = frame->at[k];
  return how == AXIAL ? frame->turn * frame->sign[k] : frame->sign[k];
}

static const char *type_of(const trm_yaml *entry) {
  const trm_yaml_pair *type = entry ? trm_yaml_get(entry, "type", 4) : NULL;
  return type && type->value->kind == TRM_YAML_TEXT ? type->value->text : "";
}

/* In space axes of joints that turn are axial vectors, so that their angles keep their sign; what
 * moves along such an axis does not. In the plane it is the other way round. */
static double freedom_sign(const trm_reader *reader, trm_joint_type type, bool angle) {
  bool planar = reader->model->space == TRM_PLANAR;
  bool along_axial = type == TRM_JOINT_CYLINDRICAL || type == TRM_JOINT_SCREW;
  return (planar ? angle : !angle && along_axial) ? reader->frame.turn : 1;
}

/* "angle", "rate", "displacement" and "speed" of a joint; "": its only freedom. */
static bool joint_sign(trm_reader *reader, const char *name, size_t length, const char *field,
                       double *sign) {
  trm_joint_type type;
  trm_reader *owner;
  const trm_yaml *entry = trm_part_find(reader, "joints", name, length, &owner);
  if (!entry && trm_part_find(reader, "shafts", name, length, &owner)) {
    *sign = freedom_sign(reader, TRM_JOINT_SHAFT, true);
    return true;
  }
  if (!entry || !trm_joint_type_find(type_of(entry), &type)) return false;
  bool angle = strcmp(field, "angle") == 0 || strcmp(field, "rate") == 0;
  if (!field[0]) angle = trm_model_freedoms(reader->model, type) == 1;
  *sign = freedom_sign(reader, type, angle);
  return true;
}

/* Of a force: those that turn in the plane, and an actuator of a joint. */
static double force_sign(trm_reader *reader, const trm_yaml *entry, trm_reader *owner) {
  const trm_yaml_pair *of = trm_yaml_get(entry, "of", 2);
  double shift = 0;
  if (of && of->value->kind == TRM_YAML_TEXT)
    return trm_part_sign(reader, trm_part_name(owner, of->value->text), &shift);
  bool turns = strcmp(type_of(entry), "torsion-spring-damper") == 0;
  return turns && reader->model->space == TRM_PLANAR ? reader->frame.turn : 1;
}

static double scalar(trm_reader *reader, const char *measure, size_t length, const char *field) {
  static const char *const turning[] = {"angle", "omega", "alpha"};
  double sign = 1;
  if (joint_sign(reader, measure, length, field, &sign)) return sign;
  trm_reader *owner;
  const trm_yaml *force = trm_part_find(reader, "forces", measure, length, &owner);
  if (force) return force_sign(reader, force, owner);
  for (int i = 0; i < 3; i++)
    if (strcmp(field, turning[i]) == 0 && trm_part_find(reader, "bodies", measure, length, &owner))
      return reader->frame.turn;
  return 1;
}

/* Of a tire, in axes of its own: the mirror image has left and right changed there, whatever it is
 * mirrored by. False for the place of its contact. */
static bool tire_sign(trm_reader *reader, const char *measure, size_t length, const char *field,
                      double *sign) {
  static const char *const turning[] = {"fy", "mx", "mz", "alpha", "gamma"};
  trm_reader *owner;
  const trm_yaml *force = trm_part_find(reader, "forces", measure, length, &owner);
  if (!force || strcmp(type_of(force), "tire") != 0 || strlen(field) == 1) return false;
  *sign = 1;
  for (int i = 0; i < 5; i++)
    if (strcmp(field, turning[i]) == 0) *sign = reader->frame.turn;
  return true;
}

/* "zxz2": a turn about one of the axes. Where the first and the last are one, the middle angle is
 * not negative: (α, −β, γ) is (α + π, β, γ − π). */
static bool euler_sign(const trm_frame *frame, const char *field, double *sign, double *shift) {
  const double pi = 3.14159265358979323846;
  if (strlen(field) != 4 || strspn(field, "xyz") != 3 || field[3] < '1' || field[3] > '3')
    return false;
  int angle = field[3] - '1';
  *sign = component(frame, AXIAL, field[angle] - 'x', shift);
  bool opposite = field[0] == field[2] && component(frame, AXIAL, field[1] - 'x', shift) < 0;
  if (opposite && angle == 1) *sign = 1;
  if (opposite && angle != 1) *shift = angle == 0 ? pi : -pi;
  return true;
}

double trm_part_sign(trm_reader *reader, const char *measure, double *shift) {
  const char *dot = strrchr(measure, '.'), *field = dot ? dot + 1 : "";
  size_t length = strlen(field), owner = strcspn(measure, ".");
  double sign;
  *shift = 0;
  if (tire_sign(reader, measure, owner, field, &sign)) return sign;
  if (euler_sign(&reader->frame, field, &sign, shift)) return sign;
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    for (int k = 0; k < 3 && named[i].name[k]; k++)
      if (strcmp(field, named[i].name[k]) == 0)
        return component(&reader->frame, named[i].nature, k, shift);
  for (size_t i = 0; length > 0 && i < sizeof vectors / sizeof *vectors; i++) {
    int k = field[length - 1] - 'x';
    if (k >= 0 && k < 3 && trm_text_is(vectors[i].stem, field, length - 1))
      return component(&reader->frame, vectors[i].nature, k, shift);
  }
  return scalar(reader, measure, owner, field);
}

/* Parts that are mirrored and moved. Bodies' own axes are mirrored, too, so that they stay
 * right-handed: a direction changes in the same way whether it is global or a body's. */
#include "model/build.h"
#include "model/read_include.h"

#include <string.h>

static void polar(const trm_frame *frame, double v[3]) {
  for (int k = 0; k < 3; k++) v[k] *= frame->sign[k];
}

static void axial(const trm_frame *frame, double v[3]) {
  for (int k = 0; k < 3; k++) v[k] *= frame->turn * frame->sign[k];
}

static void place(const trm_frame *frame, double r[3]) {
  for (int k = 0; k < 3; k++) r[k] = frame->sign[k] * r[k] + frame->at[k];
}

/* S R S */
static void orient(const trm_frame *frame, double R[9]) {
  for (int i = 0; i < 9; i++) R[i] *= frame->sign[i / 3] * frame->sign[i % 3];
}

void trm_part_point(const trm_reader *reader, const char *body, double at[3]) {
  if (strcmp(body, "ground") == 0)
    place(&reader->frame, at);
  else
    polar(&reader->frame, at);
}

void trm_part_body(const trm_reader *reader, trm_body_def *body) {
  const trm_frame *frame = &reader->frame;
  const double *s = frame->sign;
  place(frame, body->position);
  orient(frame, body->orientation);
  body->angle *= frame->turn;
  polar(frame, body->com);
  polar(frame, body->velocity);
  axial(frame, body->angular_velocity);
  polar(frame, body->gravity);
  polar(frame, body->shape.axis);
  for (int k = 0; k < 3; k++) body->shape.mirrored[k] ^= s[k] < 0;
  body->inertia[3] *= s[0] * s[1];
  body->inertia[4] *= s[0] * s[2];
  body->inertia[5] *= s[1] * s[2];
}

/* Whether a joint's angle counts about its axis: then that is an axial vector. */
static bool turns(const trm_reader *reader, trm_joint_type type) {
  return reader->model->space == TRM_SPATIAL &&
         (type == TRM_JOINT_REVOLUTE || type == TRM_JOINT_CYLINDRICAL || type == TRM_JOINT_SCREW);
}

/* The sum of the part's measures in those of the model. */
static double place_terms(trm_reader *reader, trm_joint_def *joint) {
  trm_term_def *terms = TRM_NEW(reader->document.arena, trm_term_def, joint->term_count);
  double moved = 0;
  if (!terms) reader->no_memory = true;
  for (int i = 0; terms && i < joint->term_count; i++) {
    double shift, sign = trm_part_sign(reader, joint->terms[i].measure, &shift);
    terms[i] = (trm_term_def){joint->terms[i].measure, sign * joint->terms[i].factor};
    moved += terms[i].factor * shift;
  }
  if (terms) joint->terms = terms;
  return moved;
}

/* `ground` alone is the origin, of a part its own. */
static void place_ends(trm_reader *reader, const char *connect[2], bool at_given) {
  const double *at = reader->frame.at;
  bool moved = at[0] != 0 || at[1] != 0 || at[2] != 0;
  for (int k = 0; k < 2 && moved && !at_given; k++)
    if (connect[k] && strcmp(connect[k], "ground") == 0) connect[k] = trm_part_origin(reader);
}

void trm_part_joint(trm_reader *reader, trm_joint_def *joint) {
  const trm_frame *frame = &reader->frame;
  double shift = 0, sign = 1;
  void (*turn)(const trm_frame *, double[3]) = turns(reader, joint->type) ? axial : polar;
  if (!reader->outer) return;
  place(frame, joint->at);
  place(frame, joint->at_second);
  place_ends(reader, joint->connect, joint->at_given);
  if (joint->type != TRM_JOINT_ROLLER) turn(frame, joint->axis);
  turn(frame, joint->axes[0]);
  turn(frame, joint->axes[1]);
  joint->pitch *= frame->turn;
  if (joint->type == TRM_JOINT_GEAR && joint->joints[0] && joint->joints[1])
    joint->ratio *= trm_part_sign(reader, joint->joints[0], &shift) *
                    trm_part_sign(reader, joint->joints[1], &shift);
  if (joint->type == TRM_JOINT_DRIVER && joint->of) {
    sign = trm_part_sign(reader, joint->of, &shift);
    trm_part_value(reader, &joint->value, sign, shift);
  }
  if (joint->type == TRM_JOINT_COORDINATE) {
    shift = place_terms(reader, joint);
    if (!joint->value.given) joint->value = trm_number(0);
    trm_part_value(reader, &joint->value, 1, shift);
  }
}

/* In the plane a shaft turns as joints do; in space its angle is about an axis of no direction. */
void trm_part_shaft(const trm_reader *reader, trm_shaft_def *shaft) {
  if (reader->model->space == TRM_PLANAR) shaft->rate *= reader->frame.turn;
}

/* Translations are polar, rotations axial. */
static void place_bushing(const trm_reader *reader, trm_force_def *force) {
  const trm_frame *frame = &reader->frame;
  const double *s = frame->sign, t = frame->turn;
  bool planar = reader->model->space == TRM_PLANAR;
  int n = planar ? 3 : 6;
  double sign[6] = {s[0], s[1], planar ? t : s[2], t * s[0], t * s[1], t * s[2]};
  for (int i = 0; i < n * n; i++) {
    force->bushing_stiffness[i] *= sign[i / n] * sign[i % n];
    force->bushing_damping[i] *= sign[i / n] * sign[i % n];
  }
  for (int i = 0; i < n; i++) force->preload[i] *= sign[i];
  orient(frame, force->orientation);
}

void trm_part_force(trm_reader *reader, trm_force_def *force) {
  const trm_frame *frame = &reader->frame;
  double shift = 0, turn = frame->turn;
  if (!reader->outer) return;
  place(frame, force->at);
  place(frame, force->at_second);
  place_ends(reader, force->connect, force->at_given);
  axial(frame, force->axis);
  if (force->type == TRM_FORCE_LOAD)
    for (int k = 0; k < 3; k++) {
      trm_part_value(reader, &force->value[k], frame->sign[k], 0);
      trm_part_value(reader, &force->torque[k], turn * frame->sign[k], 0);
    }
  if (force->type == TRM_FORCE_FORCE || force->type == TRM_FORCE_TORQUE)
    for (int k = 0; k < 3; k++)
      trm_part_value(reader, &force->value[k],
                     force->type == TRM_FORCE_TORQUE ? turn * frame->sign[k] : frame->sign[k], 0);
  if (force->type == TRM_FORCE_ACTUATOR && force->of)
    trm_part_value(reader, &force->value[0], trm_part_sign(reader, force->of, &shift), 0);
  if (force->type == TRM_FORCE_TORSION_SPRING_DAMPER && reader->model->space == TRM_PLANAR)
    trm_part_value(reader, &force->free, turn, 0);
  if (force->type == TRM_FORCE_BUSHING) place_bushing(reader, force);
  if (force->file) force->file = trm_part_file(reader, force->file, strlen(force->file));
  if (force->type == TRM_FORCE_TIRE && turn < 0)
    force->side = force->side == TRM_TIRE_LEFT ? TRM_TIRE_RIGHT : TRM_TIRE_LEFT;
}

const char *trm_part_file(trm_reader *reader, const char *file, size_t length) {
  size_t nest = file[0] == '/' ? 0 : strlen(reader->nest);
  char *path = trm_arena_alloc(reader->document.arena, nest + length + 1, 1);
  if (!path) {
    reader->no_memory = true;
    return file;
  }
  memcpy(path, reader->nest, nest);
  memcpy(path + nest, file, length);
  return path;
}

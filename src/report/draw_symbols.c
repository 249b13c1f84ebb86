/* Ground, joints and springs by the symbols of mechanism drawings. */
#include <math.h>
#include <string.h>

#include "report/picture.h"

/* A frame on the drawing: a place and a direction. */
typedef struct spot {
  trm_drawing *drawing;
  double x, y, c, s;
} spot;

static void end_at(const trm_drawing *drawing, const trm_end *end, double t, double at[2]) {
  trm_pose pose = trm_scene_pose(drawing->scene, end->body, t);
  double p[3];
  trm_pose_point(&pose, end->u, p);
  trm_camera_project(&drawing->camera, p, at);
}

/* The joint's axis as it lies on the drawing, of unit length. */
static spot along_axis(trm_drawing *drawing, const trm_link *link, double t, const double at[2]) {
  trm_pose pose = trm_scene_pose(drawing->scene, link->end[0].body, t);
  double direction[3], tip[2], origin[2];
  trm_pose still = pose;
  memset(still.r, 0, sizeof still.r);
  trm_pose_point(&still, link->axis[0], direction);
  trm_camera_project(&drawing->camera, direction, tip);
  trm_camera_project(&drawing->camera, (double[3]){0, 0, 0}, origin);
  double dx = tip[0] - origin[0], dy = tip[1] - origin[1], size = hypot(dx, dy);
  if (size < 1e-9) return (spot){drawing, at[0], at[1], 1, 0};
  return (spot){drawing, at[0], at[1], dx / size, dy / size};
}

static void put(const spot *at, double u, double v) {
  trm_picture_point(&at->drawing->picture, at->x + at->c * u - at->s * v,
                    at->y + at->s * u + at->c * v);
}

static void line(const spot *at, unsigned color, double width, const double (*path)[2], int count) {
  trm_picture_mark(&at->drawing->picture,
                   (trm_mark){.kind = TRM_MARK_LINE, .color = color, .opacity = 1, .width = width});
  for (int i = 0; i < count; i++) put(at, path[i][0], path[i][1]);
}

static double pin_of(const trm_drawing *drawing) {
  return fmin(fmax(0.05 * drawing->unit, 1.3), 6);
}

static void pin(trm_drawing *drawing, const double at[2], double radius) {
  trm_picture_mark(&drawing->picture, (trm_mark){.kind = TRM_MARK_DISC,
                                                 .color = drawing->paper,
                                                 .opacity = 1,
                                                 .width = fmin(1.5, radius / 2),
                                                 .rim = drawing->ink,
                                                 .radius = radius});
  trm_picture_point(&drawing->picture, at[0], at[1]);
}

/* A pin on the ground stands on a hatched foot. */
static void foot(const spot *at, double size) {
  unsigned color = at->drawing->faint;
  line(at, color, 1.3,
       (const double[4][2]){{0, 0}, {-size, 1.6 * size}, {size, 1.6 * size}, {0, 0}}, 4);
  line(at, color, 1.3, (const double[2][2]){{-1.4 * size, 1.6 * size}, {1.4 * size, 1.6 * size}},
       2);
  for (int i = -2; i <= 2; i++)
    line(at, color, 1,
         (const double[2][2]){{0.6 * i * size, 1.6 * size}, {(0.6 * i - 0.35) * size, 2.1 * size}},
         2);
}

/* As long as the slider goes, and a little more than its block. */
static void rail(trm_drawing *drawing, const trm_link *joint, double t, double pixel) {
  trm_pose pose = trm_scene_pose(drawing->scene, joint->end[0].body, t);
  const double *axis = joint->axis[0], *u = joint->end[0].u;
  double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), at[2][2];
  double over = fmax(0.12 * drawing->unit, 3.6 * pixel);
  for (int k = 0; k < 2; k++) {
    double far = size > 0 ? joint->travel[k] / size : 0, p[3];
    const double end[3] = {u[0] + far * axis[0], u[1] + far * axis[1], u[2] + far * axis[2]};
    trm_pose_point(&pose, end, p);
    trm_camera_project(&drawing->camera, p, at[k]);
  }
  spot guide = along_axis(drawing, joint, t, at[0]);
  double length = guide.c * (at[1][0] - at[0][0]) + guide.s * (at[1][1] - at[0][1]);
  line(&guide, drawing->faint, 1.3, (const double[2][2]){{-over, 0}, {length + over, 0}}, 2);
}

static void joint_under(trm_drawing *drawing, const trm_link *joint, double t) {
  double at[2][2], pixel = pin_of(drawing);
  for (int k = 0; k < 2; k++) end_at(drawing, &joint->end[k], t, at[k]);
  bool grounded = joint->end[0].body < 0 || joint->end[1].body < 0;
  if (trm_link_is_slider(joint)) {
    rail(drawing, joint, t, pixel);
  } else if (strcmp(joint->type, "distance") == 0) {
    spot here = {drawing, 0, 0, 1, 0};
    line(&here, drawing->ink, 1.3, (const double[2][2]){{at[0][0], at[0][1]}, {at[1][0], at[1][1]}},
         2);
  } else if (strcmp(joint->type, "rolling") == 0 && drawing->scene->dim == 2) {
    spot guide = along_axis(drawing, joint, t, at[0]);
    line(&guide, drawing->faint, 1.5,
         (const double[2][2]){{-drawing->options.width, 0}, {drawing->options.width, 0}}, 2);
  } else if (grounded && drawing->scene->dim == 2 && strcmp(joint->type, "revolute") == 0) {
    spot here = {drawing, at[1][0], at[1][1], 1, 0};
    foot(&here, 2.2 * pixel);
  }
}

static void joint_over(trm_drawing *drawing, const trm_link *joint, double t) {
  double at[2], pixel = pin_of(drawing);
  end_at(drawing, &joint->end[1], t, at);
  if (trm_link_is_slider(joint)) {
    spot block = along_axis(drawing, joint, t, at);
    double a = 2.3 * pixel, b = 1.4 * pixel;
    line(&block, drawing->ink, 1.4,
         (const double[5][2]){{-a, -b}, {a, -b}, {a, b}, {-a, b}, {-a, -b}}, 5);
  } else if (strcmp(joint->type, "driver") != 0 && strcmp(joint->type, "rolling") != 0) {
    pin(drawing, at, strcmp(joint->type, "spherical") == 0 ? 1.2 * pixel : pixel);
  }
}

/* Between the two ends, from 0 to `length` along the spot's direction. */
static void zigzag(const spot *at, double length, double width, double offset) {
  enum { TURNS = 14 };
  double path[TURNS + 4][2], lead = fmin(10, length / 6);
  path[0][0] = 0;
  path[1][0] = lead;
  for (int i = 0; i < TURNS; i++) path[i + 2][0] = lead + (length - 2 * lead) * (i + 0.5) / TURNS;
  path[TURNS + 2][0] = length - lead;
  path[TURNS + 3][0] = length;
  for (int i = 0; i < TURNS + 4; i++)
    path[i][1] = offset + (i < 2 || i > TURNS + 1 ? 0 : i % 2 ? width : -width);
  line(at, at->drawing->spring, 1.6, (const double(*)[2])path, TURNS + 4);
}

static void dashpot(const spot *at, double length, double w, double y) {
  double m = length / 2;
  unsigned color = at->drawing->spring;
  line(at, color, 1.5, (const double[2][2]){{0, y}, {m - w, y}}, 2);
  line(at, color, 1.5,
       (const double[4][2]){{m + w, y - w}, {m - w, y - w}, {m - w, y + w}, {m + w, y + w}}, 4);
  line(at, color, 1.5, (const double[2][2]){{m, y - 0.7 * w}, {m, y + 0.7 * w}}, 2);
  line(at, color, 1.5, (const double[2][2]){{m, y}, {length, y}}, 2);
}

static void spring(trm_drawing *drawing, const trm_link *force, double t) {
  double at[2][2];
  for (int k = 0; k < 2; k++) end_at(drawing, &force->end[k], t, at[k]);
  double dx = at[1][0] - at[0][0], dy = at[1][1] - at[0][1], length = hypot(dx, dy);
  double width = fmin(fmax(0.06 * drawing->unit, 2.5), 8);
  bool both = force->spring && force->damper;
  spot here = {drawing, at[0][0], at[0][1], length > 0 ? dx / length : 1,
               length > 0 ? dy / length : 0};
  if (force->spring) zigzag(&here, length, width, both ? -width : 0);
  if (force->damper || !force->spring) dashpot(&here, length, width, both ? 1.3 * width : 0);
}

enum { ROUND = 32 };
#define SECTOR (6.283185307179586476925286766559 / ROUND)

/* A rubber ring around a core that moves in it. */
static void bushing(trm_drawing *drawing, const trm_link *force, double t) {
  double at[2][2], pixel = pin_of(drawing), ring[ROUND + 1][2];
  for (int k = 0; k < 2; k++) end_at(drawing, &force->end[k], t, at[k]);
  spot here = {drawing, at[0][0], at[0][1], 1, 0};
  for (int i = 0; i <= ROUND; i++) {
    ring[i][0] = 2 * pixel * cos(i * SECTOR);
    ring[i][1] = 2 * pixel * sin(i * SECTOR);
  }
  line(&here, drawing->spring, 1.2 * pixel, (const double(*)[2])ring, ROUND + 1);
  pin(drawing, at[1], 0.8 * pixel);
}

/* Its circle about the wheel's axis. */
static void tire(trm_drawing *drawing, const trm_link *force, double t) {
  trm_pose pose = trm_scene_pose(drawing->scene, force->end[0].body, t);
  const double *n = force->axis[0], *u = force->end[0].u;
  double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), e[2][3], path[ROUND + 1][2];
  if (!(size > 0)) return;
  int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0
              : fabs(n[1]) <= fabs(n[2])                           ? 1
                                                                   : 2;
  for (int k = 0; k < 3; k++) e[0][k] = (k == least) - n[least] * n[k] / (size * size);
  double across = sqrt(e[0][0] * e[0][0] + e[0][1] * e[0][1] + e[0][2] * e[0][2]);
  for (int k = 0; k < 3; k++) e[0][k] /= across;
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, m = (k + 2) % 3;
    e[1][k] = (n[l] * e[0][m] - n[m] * e[0][l]) / size;
  }
  for (int i = 0; i <= ROUND; i++) {
    double c = force->radius * cos(i * SECTOR), p[3], v[3];
    double s = force->radius * sin(i * SECTOR);
    for (int k = 0; k < 3; k++) v[k] = u[k] + c * e[0][k] + s * e[1][k];
    trm_pose_point(&pose, v, p);
    trm_camera_project(&drawing->camera, p, path[i]);
  }
  spot here = {drawing, 0, 0, 1, 0};
  double width = fmax(2, 0.15 * force->radius * drawing->camera.scale);
  line(&here, drawing->ink, width, (const double(*)[2])path, ROUND + 1);
}

void trm_draw_symbols(trm_drawing *drawing, double t, bool under) {
  const trm_scene *scene = drawing->scene;
  bool many = scene->body_count > 400; /* pins would hide everything */
  for (int i = 0; !many && i < scene->joint_count; i++) {
    if (scene->joints[i].end_count < 2) continue;
    if (under)
      joint_under(drawing, &scene->joints[i], t);
    else
      joint_over(drawing, &scene->joints[i], t);
  }
  for (int i = 0; !under && i < scene->force_count; i++) {
    const trm_link *force = &scene->forces[i];
    if (force->end_count == 2 &&
        (strcmp(force->type, "spring-damper") == 0 || strcmp(force->type, "actuator") == 0))
      spring(drawing, force, t);
    if (force->end_count == 2 && strcmp(force->type, "bushing") == 0) bushing(drawing, force, t);
    if (force->end_count == 1 && strcmp(force->type, "tire") == 0) tire(drawing, force, t);
  }
}

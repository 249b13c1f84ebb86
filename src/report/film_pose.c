/* Poses of a scene's bodies at any time. */
#include <math.h>
#include <string.h>

#include "report/film.h"

double trm_scene_start(const trm_scene *scene) {
  return scene->t[0];
}

double trm_scene_end(const trm_scene *scene) {
  return scene->t[scene->frame_count - 1];
}

/* The frame before t; `part`: how far t is on the way to the next. */
static int place(const trm_scene *scene, double t, double *part) {
  int low = 0, high = scene->frame_count - 1;
  *part = 0;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (scene->t[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  double span = scene->t[high] - scene->t[low];
  if (span > 0) *part = fmin(fmax((t - scene->t[low]) / span, 0), 1);
  return low;
}

void trm_scene_frame(const trm_scene *scene, int body, int frame, double r[3], double q[4]) {
  const float *p =
      scene->values + (size_t)frame * (size_t)scene->width + (size_t)(body * scene->pose);
  r[0] = p[0];
  r[1] = p[1];
  if (scene->pose == 7) {
    r[2] = p[2];
    for (int k = 0; k < 4; k++) q[k] = p[3 + k];
    return;
  }
  r[2] = 0;
  q[0] = cos(p[2] / 2.0);
  q[1] = q[2] = 0;
  q[3] = sin(p[2] / 2.0);
}

static void rotation(const double q[4], double R[9]) {
  double w = q[0], x = q[1], y = q[2], z = q[3];
  const double values[9] = {
      1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
      2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
      2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(R, values, sizeof values);
}

trm_pose trm_scene_pose(const trm_scene *scene, int body, double t) {
  if (body < 0) return (trm_pose){{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  trm_pose pose;
  double part, r[2][3], q[2][4], norm = 0;
  int low = place(scene, t, &part);
  int high = low + 1 < scene->frame_count ? low + 1 : low;
  trm_scene_frame(scene, body, low, r[0], q[0]);
  trm_scene_frame(scene, body, high, r[1], q[1]);
  for (int k = 0; k < 3; k++) pose.r[k] = r[0][k] + part * (r[1][k] - r[0][k]);
  for (int k = 0; k < 4; k++) {
    q[0][k] += part * (q[1][k] - q[0][k]);
    norm += q[0][k] * q[0][k];
  }
  norm = sqrt(norm);
  for (int k = 0; k < 4; k++) q[0][k] = norm > 0 ? q[0][k] / norm : k == 0;
  rotation(q[0], pose.R);
  return pose;
}

void trm_pose_point(const trm_pose *pose, const double u[3], double p[3]) {
  for (int k = 0; k < 3; k++)
    p[k] =
        pose->r[k] + pose->R[3 * k] * u[0] + pose->R[3 * k + 1] * u[1] + pose->R[3 * k + 2] * u[2];
}

bool trm_link_is_slider(const trm_link *link) {
  return link->end_count == 2 &&
         (strcmp(link->type, "prismatic") == 0 || strcmp(link->type, "point-on-line") == 0 ||
          strcmp(link->type, "cylindrical") == 0);
}

void trm_scene_find_travel(const trm_scene *scene, trm_link *link) {
  const double *axis = link->axis[0];
  double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (!trm_link_is_slider(link) || !(size > 0)) return;
  for (int i = 0; i < scene->frame_count; i++) {
    trm_pose first = trm_scene_pose(scene, link->end[0].body, scene->t[i]), second;
    second = trm_scene_pose(scene, link->end[1].body, scene->t[i]);
    double from[3], to[3], origin[3], tip[3], along = 0;
    trm_pose_point(&first, link->end[0].u, from);
    trm_pose_point(&second, link->end[1].u, to);
    trm_pose_point(&first, (const double[3]){0, 0, 0}, origin);
    trm_pose_point(&first, axis, tip);
    for (int k = 0; k < 3; k++) along += (tip[k] - origin[k]) / size * (to[k] - from[k]);
    link->travel[0] = i > 0 ? fmin(link->travel[0], along) : along;
    link->travel[1] = i > 0 ? fmax(link->travel[1], along) : along;
  }
}

/* Lists of marks, and the camera. */
#include "report/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

static void *grow(void *items, int count, int *capacity, size_t size) {
  if (count < *capacity) return items;
  int wanted = *capacity ? 2 * *capacity : 256;
  void *larger = realloc(items, (size_t)wanted * size);
  if (larger) *capacity = wanted;
  return larger;
}

void trm_picture_mark(trm_picture *picture, trm_mark mark) {
  trm_mark *marks =
      grow(picture->marks, picture->mark_count, &picture->mark_capacity, sizeof *marks);
  if (!marks) {
    picture->no_memory = true;
    return;
  }
  picture->marks = marks;
  mark.first = picture->point_count;
  mark.count = 0;
  marks[picture->mark_count++] = mark;
}

void trm_picture_point(trm_picture *picture, double x, double y) {
  void *points = grow(picture->points, picture->point_count, &picture->point_capacity,
                      sizeof *picture->points);
  if (!points || picture->mark_count == 0) {
    picture->no_memory |= !points;
    return;
  }
  picture->points = points;
  picture->points[picture->point_count][0] = x;
  picture->points[picture->point_count++][1] = y;
  picture->marks[picture->mark_count - 1].count++;
}

void trm_picture_free(trm_picture *picture) {
  free(picture->marks);
  free(picture->points);
  *picture = (trm_picture){0};
}

void trm_camera_project(const trm_camera *camera, const double p[3], double at[2]) {
  at[0] = camera->x + camera->scale * trm_dot(3, camera->right, p);
  at[1] = camera->y - camera->scale * trm_dot(3, camera->up, p);
}

/* Where what is followed is; the origin where nothing is. */
static void followed(const trm_scene *scene, double t, double p[3]) {
  static const double origin[3] = {0, 0, 0};
  memcpy(p, origin, sizeof origin);
  if (!scene->follows) return;
  trm_pose pose = trm_scene_pose(scene, scene->follow.body, t);
  trm_pose_point(&pose, scene->follow.u, p);
}

trm_camera trm_camera_at(const trm_camera *camera, const trm_scene *scene, double t) {
  trm_camera there = *camera;
  double p[3];
  followed(scene, t, p);
  there.x -= camera->scale * trm_dot(3, camera->right, p);
  there.y += camera->scale * trm_dot(3, camera->up, p);
  return there;
}

typedef struct bounds {
  double low[3], high[3];
} bounds;

static void include(bounds *b, const double p[3], double margin) {
  for (int k = 0; k < 3; k++) {
    b->low[k] = fmin(b->low[k], p[k] - margin);
    b->high[k] = fmax(b->high[k], p[k] + margin);
  }
}

static double margin_of(const trm_actor *actor) {
  if (actor->shape == TRM_SHAPE_BOX) return trm_norm(3, actor->size) / 2;
  if (actor->shape == TRM_SHAPE_SPHERE) return actor->size[0];
  if (actor->shape == TRM_SHAPE_CONE) return hypot(actor->size[0], actor->size[1]);
  return actor->shape == TRM_SHAPE_CYLINDER ? hypot(actor->size[0], actor->size[1] / 2) : 0;
}

static void include_mesh(bounds *b, const trm_triangles *mesh, const trm_pose *pose) {
  for (int i = 0; mesh->count > 0 && i < 8; i++) {
    double corner[3], p[3];
    for (int k = 0; k < 3; k++) corner[k] = i & (1 << k) ? mesh->high[k] : mesh->low[k];
    trm_pose_point(pose, corner, p);
    include(b, p, 0);
  }
}

static void include_actor(bounds *b, const trm_scene *scene, const trm_actor *actor,
                          const trm_pose *pose) {
  double p[3];
  include(b, pose->r, margin_of(actor));
  if (actor->mesh >= 0 && actor->mesh < scene->mesh_count)
    include_mesh(b, &scene->meshes[actor->mesh], pose);
  for (int i = 0; i < actor->point_count; i++) {
    trm_pose_point(pose, actor->points[i], p);
    include(b, p, 0);
  }
  for (int i = 0; i < actor->path_count; i++) {
    trm_pose_point(pose, actor->path[i], p);
    include(b, p, 0);
  }
}

/* Bodies and what they are hinged to; `turn` has the axes to measure along as rows. */
static bounds measure(const trm_scene *scene, const double turn[3][3]) {
  bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  int stride = 1 + scene->frame_count * scene->body_count / 20000;
  for (int f = 0; f < scene->frame_count; f += stride) {
    double from[3];
    followed(scene, scene->t[f], from);
    for (int i = 0; i < scene->body_count; i++) {
      trm_pose pose = trm_scene_pose(scene, i, scene->t[f]), seen;
      for (int k = 0; k < 3; k++) pose.r[k] -= from[k];
      for (int k = 0; k < 3; k++) {
        seen.r[k] = trm_dot(3, turn[k], pose.r);
        for (int c = 0; c < 3; c++)
          seen.R[3 * k + c] =
              turn[k][0] * pose.R[c] + turn[k][1] * pose.R[3 + c] + turn[k][2] * pose.R[6 + c];
      }
      include_actor(&b, scene, &scene->bodies[i], &seen);
    }
  }
  if (scene->follows) return b; /* the ground passes by */
  for (int i = 0; i < scene->joint_count + scene->force_count; i++) {
    const trm_link *link =
        i < scene->joint_count ? &scene->joints[i] : &scene->forces[i - scene->joint_count];
    for (int k = 0; k < link->end_count; k++) {
      const double *u = link->end[k].u;
      if (link->end[k].body >= 0) continue;
      include(&b,
              (double[3]){trm_dot(3, turn[0], u), trm_dot(3, turn[1], u), trm_dot(3, turn[2], u)},
              0);
    }
  }
  return b;
}

static const double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void upward(const trm_scene *scene, double up[3]) {
  double size = trm_norm(3, scene->gravity);
  for (int k = 0; k < 3; k++) up[k] = size > 0 ? -scene->gravity[k] / size : k == 2;
}

/* From where a scene in space is looked at. */
static void choose_view(const trm_scene *scene, const double up[3], double view[3]) {
  bounds b = measure(scene, identity);
  double extent[3], size = 0;
  int thin = 0;
  for (int k = 0; k < 3; k++) {
    extent[k] = b.high[k] - b.low[k];
    size = fmax(size, extent[k]);
    if (extent[k] < extent[thin]) thin = k;
  }
  if (scene->directed) {
    memcpy(view, scene->from, 3 * sizeof *view);
    return;
  }
  const double corner[2][3] = {{0.8, -1, 0.45}, {0.75, 0.4, 1}};
  memcpy(view, corner[fabs(up[1]) > 0.9], 3 * sizeof *view);
  if (extent[thin] < 0.06 * size && fabs(up[thin]) < 0.5)
    for (int k = 0; k < 3; k++) view[k] = k == thin ? (thin == 1 ? -1 : 1) : 0;
}

static void normalize(double v[3]) {
  double size = trm_norm(3, v);
  for (int k = 0; k < 3; k++) v[k] /= size > 0 ? size : 1;
}

trm_camera trm_camera_fit(const trm_scene *scene, int width, int height) {
  trm_camera camera = {.right = {1, 0, 0}, .up = {0, 1, 0}};
  if (scene->dim == 3) {
    double up[3], view[3];
    upward(scene, up);
    choose_view(scene, up, view);
    trm_cross(up, view, camera.right);
    normalize(camera.right);
    normalize(view);
    trm_cross(view, camera.right, camera.up);
  }
  double turn[3][3] = {{0}};
  memcpy(turn[0], camera.right, sizeof turn[0]);
  memcpy(turn[1], camera.up, sizeof turn[1]);
  bounds b = measure(scene, (const double(*)[3])turn);
  double wide = b.high[0] - b.low[0], tall = b.high[1] - b.low[1];
  double margin = 0.08 * (width < height ? width : height) + 6,
         smallest = 1e-6 + 1e-3 * (wide + tall);
  camera.scale = fmin((width - 2 * margin) / fmax(wide, smallest),
                      (height - 2 * margin) / fmax(tall, smallest));
  if (scene->follows) camera.scale *= 0.6; /* what it passes is to be seen, too */
  camera.x = width / 2.0 - camera.scale * (b.low[0] + b.high[0]) / 2;
  camera.y = height / 2.0 + camera.scale * (b.low[1] + b.high[1]) / 2;
  return camera;
}

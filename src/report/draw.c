/* Bodies as marks, and the drawing as a whole. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "math/vector.h"
#include "report/picture.h"

enum { ROUND = 48 /* corners of a circle */, MOST_TRIANGLES = 4000 };

static const trm_drawing_options plain = {
    .width = 960, .height = 720, .background = 0xffffff, .joints = true};

void trm_drawing_options_init(trm_drawing_options *defaults, size_t size) {
  trm_sized_give(defaults, size, &plain, sizeof plain);
}

/* What is being drawn now. */
typedef struct brush {
  trm_drawing *drawing;
  const trm_actor *actor;
  trm_pose pose;
  double opacity, thick;
  bool still; /* it does not turn */
} brush;

static void mark(const brush *b, trm_mark_kind kind, double opacity, double width) {
  trm_picture_mark(&b->drawing->picture, (trm_mark){.kind = kind,
                                                    .color = b->actor->color,
                                                    .opacity = opacity * b->opacity,
                                                    .width = width});
}

static void put(const brush *b, double x, double y, double z) {
  double p[3], at[2];
  trm_pose_point(&b->pose, (double[3]){x, y, z}, p);
  trm_camera_project(&b->drawing->camera, p, at);
  trm_picture_point(&b->drawing->picture, at[0], at[1]);
}

static void draw_path(const brush *b, double (*path)[3], int count) {
  bool closed = count > 3 && memcmp(path[0], path[count - 1], sizeof *path) == 0;
  if (closed) {
    mark(b, TRM_MARK_AREA, 0.25, 0);
    for (int i = 0; i + 1 < count; i++) put(b, path[i][0], path[i][1], path[i][2]);
  }
  mark(b, TRM_MARK_LINE, 1, b->thick);
  for (int i = 0; i < count; i++) put(b, path[i][0], path[i][1], path[i][2]);
}

static trm_mark *last_mark(const brush *b) {
  trm_picture *picture = &b->drawing->picture;
  return picture->mark_count > 0 ? &picture->marks[picture->mark_count - 1] : NULL;
}

static void draw_disc(const brush *b, const double at[3], double radius) {
  mark(b, TRM_MARK_DISC, 1, 0);
  if (last_mark(b)) last_mark(b)->radius = radius;
  put(b, at[0], at[1], at[2]);
}

static void draw_lines(const brush *b) {
  static const double origin[3] = {0, 0, 0};
  int drawn = 0;
  for (int i = 0; i < b->actor->point_count; i++) {
    const double *u = b->actor->points[i];
    if (u[0] == 0 && u[1] == 0 && u[2] == 0) continue;
    mark(b, TRM_MARK_LINE, 1, b->thick);
    put(b, 0, 0, 0);
    put(b, u[0], u[1], u[2]);
    drawn++;
  }
  if (drawn == 0) draw_disc(b, origin, fmax(0.9 * b->thick, 3));
}

static void draw_circle(const brush *b, double radius) {
  double width = fmin(b->thick, 1.6);
  for (int pass = 0; pass < 2; pass++) {
    mark(b, TRM_MARK_DISC, pass ? 1 : 0.2, pass ? width : 0);
    trm_mark *last = last_mark(b);
    if (!last) return;
    last->radius = radius * b->drawing->camera.scale;
    last->rim = b->actor->color;
    last->hollow = pass;
    put(b, 0, 0, 0);
  }
}

/* A line from the axis to the rim shows the turning. */
static void draw_spoke(const brush *b, const double from[3], const double to[3]) {
  if (b->still) return;
  mark(b, TRM_MARK_LINE, 1, fmin(b->thick, 1.6));
  put(b, from[0], from[1], from[2]);
  put(b, to[0], to[1], to[2]);
}

/* Unit vectors along the axis and across it. */
static void axes_of(const double n[3], double a[3], double e[3], double f[3]) {
  double size = trm_norm(3, n);
  for (int k = 0; k < 3; k++) a[k] = size > 0 ? n[k] / size : k == 2;
  int least = fabs(a[0]) < fabs(a[1]) ? 0 : 1;
  if (fabs(a[2]) < fabs(a[least])) least = 2;
  for (int k = 0; k < 3; k++) e[k] = (k == least) - a[least] * a[k];
  size = trm_norm(3, e);
  for (int k = 0; k < 3; k++) e[k] /= size;
  trm_cross(a, e, f);
}

static void draw_rim(const brush *b, double (*rim)[3], int corners) {
  for (int pass = 0; pass < 2; pass++) {
    mark(b, pass ? TRM_MARK_LINE : TRM_MARK_AREA, pass ? 1 : 0.2, fmin(b->thick, 1.6));
    for (int i = 0; i < corners + pass; i++) put(b, rim[i][0], rim[i][1], rim[i][2]);
  }
}

/* Two circles across the axis, and lines between them. */
static void draw_cylinder(const brush *b) {
  double radius = b->actor->size[0], half = b->actor->size[1] / 2, a[3], e[3], f[3];
  axes_of(b->actor->axis, a, e, f);
  if (b->drawing->scene->dim == 2 && fabs(a[2]) > 0.5) {
    draw_circle(b, radius);
    draw_spoke(b, (double[3]){0, 0, 0}, (double[3]){radius, 0, 0});
    return;
  }
  double rim[2][ROUND + 1][3], scale = b->drawing->camera.scale;
  int corners = radius * scale > 80 ? ROUND : ROUND / 2;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i <= corners; i++) {
      double angle = 2 * acos(-1) * i / corners, c = radius * cos(angle), s = radius * sin(angle);
      for (int k = 0; k < 3; k++)
        rim[side][i][k] = (side ? half : -half) * a[k] + c * e[k] + s * f[k];
    }
  draw_rim(b, rim[1], corners);
  if (2 * half * scale > 2) { /* else the other rim cannot be told apart */
    draw_rim(b, rim[0], corners);
    for (int i = 0; i < corners; i += corners / 4) {
      mark(b, TRM_MARK_LINE, 0.6, fmin(b->thick, 1.2));
      for (int side = 0; side < 2; side++)
        put(b, rim[side][i][0], rim[side][i][1], rim[side][i][2]);
    }
  }
  draw_spoke(b, (double[3]){half * a[0], half * a[1], half * a[2]}, rim[1][0]);
}

/* Its base, and flat sides up to the tip. */
static void draw_cone(const brush *b) {
  enum { CONE_SIDES = 12 };
  double radius = b->actor->size[0], height = b->actor->size[1], a[3], e[3], f[3];
  axes_of(b->actor->axis, a, e, f);
  double rim[CONE_SIDES + 1][3];
  for (int i = 0; i <= CONE_SIDES; i++) {
    double angle = 2 * acos(-1) * i / CONE_SIDES;
    for (int k = 0; k < 3; k++) rim[i][k] = radius * (cos(angle) * e[k] + sin(angle) * f[k]);
  }
  draw_rim(b, rim, CONE_SIDES);
  for (int i = 0; i < CONE_SIDES; i++) {
    mark(b, TRM_MARK_AREA, 0.45, 0);
    for (int k = 0; k < 2; k++) put(b, rim[i + k][0], rim[i + k][1], rim[i + k][2]);
    put(b, height * a[0], height * a[1], height * a[2]);
  }
}

static void draw_box(const brush *b) {
  static const int faces[6][5] = {{0, 1, 3, 2, 0}, {4, 5, 7, 6, 4}, {0, 1, 5, 4, 0},
                                  {2, 3, 7, 6, 2}, {0, 2, 6, 4, 0}, {1, 3, 7, 5, 1}};
  double h[3];
  for (int k = 0; k < 3; k++) h[k] = b->actor->size[k] / 2;
  int count = b->drawing->scene->dim == 3 ? 6 : 1;
  for (int face = 0; face < count; face++)
    for (int pass = 0; pass < 2; pass++) {
      mark(b, pass ? TRM_MARK_LINE : TRM_MARK_AREA, pass ? 1 : 0.25, fmin(b->thick, 1.6));
      for (int i = 0; i < 4 + pass; i++) {
        int corner = faces[face][i];
        put(b, corner & 1 ? h[0] : -h[0], corner & 2 ? h[1] : -h[1], corner & 4 ? h[2] : -h[2]);
      }
    }
}

static void draw_mesh(const brush *b) {
  if (b->actor->mesh < 0 || b->actor->mesh >= b->drawing->scene->mesh_count) return;
  const trm_triangles *mesh = &b->drawing->scene->meshes[b->actor->mesh];
  int stride = 1 + mesh->count / MOST_TRIANGLES;
  for (int i = 0; i < mesh->count; i += stride) {
    const float *c = mesh->corners + 9 * (size_t)i;
    mark(b, TRM_MARK_AREA, 0.5, 0);
    for (int k = 0; k < 9; k += 3) put(b, c[k], c[k + 1], c[k + 2]);
  }
}

static void draw_actor(const brush *b) {
  static const double origin[3] = {0, 0, 0};
  switch (b->actor->shape) {
  case TRM_SHAPE_LINES: draw_lines(b); break;
  case TRM_SHAPE_BOX: draw_box(b); break;
  case TRM_SHAPE_SPHERE: draw_disc(b, origin, b->actor->size[0] * b->drawing->camera.scale); break;
  case TRM_SHAPE_CYLINDER: draw_cylinder(b); break;
  case TRM_SHAPE_CONE: draw_cone(b); break;
  case TRM_SHAPE_ROD:
  case TRM_SHAPE_PATH: draw_path(b, b->actor->path, b->actor->path_count); break;
  case TRM_SHAPE_MESH: draw_mesh(b); break;
  }
}

static double thickness(const trm_drawing *drawing) {
  return fmin(fmax(0.055 * drawing->unit, 1.2), 9);
}

static void draw_scenery(trm_drawing *drawing) {
  const trm_scene *scene = drawing->scene;
  for (int i = 0; i < scene->thing_count; i++) {
    brush b = {drawing, &scene->things[i], scene->thing_poses[i], 1, thickness(drawing), true};
    draw_actor(&b);
  }
}

/* At t, one shape after the other; earlier and later positions have an opacity below 1. */
static void draw_bodies(trm_drawing *drawing, double t, double opacity) {
  const trm_scene *scene = drawing->scene;
  double thick = thickness(drawing);
  for (int i = opacity < 1 || scene->ground.shape == TRM_SHAPE_LINES ? 0 : -1;
       i < scene->body_count; i++) {
    brush b = {drawing,
               i < 0 ? &scene->ground : &scene->bodies[i],
               trm_scene_pose(scene, i, t),
               opacity,
               thick,
               i < 0};
    draw_actor(&b);
  }
}

/* The whole way of the traced point. */
static void draw_trace(trm_drawing *drawing) {
  const trm_scene *scene = drawing->scene;
  if (!drawing->options.trace) return;
  trm_picture_mark(
      &drawing->picture,
      (trm_mark){.kind = TRM_MARK_LINE, .color = 0xdd7733, .opacity = 0.8, .width = 1.8});
  for (int f = 0; f < scene->frame_count; f++) {
    trm_pose pose = trm_scene_pose(scene, drawing->trace.body, scene->t[f]);
    double p[3], at[2];
    trm_pose_point(&pose, drawing->trace.u, p);
    trm_camera_project(&drawing->camera, p, at);
    trm_picture_point(&drawing->picture, at[0], at[1]);
  }
}

bool trm_drawing_compose(trm_drawing *drawing, double t) {
  double start = trm_scene_start(drawing->scene), span = trm_scene_end(drawing->scene) - start;
  drawing->picture.mark_count = drawing->picture.point_count = 0;
  drawing->camera = trm_camera_at(&drawing->home, drawing->scene, t);
  draw_scenery(drawing);
  if (drawing->options.joints) trm_draw_symbols(drawing, t, true);
  /* the last interval is cut: a motion of whole turns would repeat itself */
  for (int i = 0; i < drawing->options.ghosts; i++)
    draw_bodies(drawing, start + span * i / (drawing->options.ghosts - 0.382), 0.16);
  draw_trace(drawing);
  draw_bodies(drawing, t, 1);
  if (drawing->options.joints) trm_draw_symbols(drawing, t, false);
  return !drawing->picture.no_memory;
}

/* "body.point" or "body". */
static bool find_point(const trm_scene *scene, const char *name, trm_end *end) {
  for (int i = 0; i < scene->body_count; i++) {
    const trm_actor *actor = &scene->bodies[i];
    size_t length = strlen(actor->name);
    if (strncmp(name, actor->name, length) != 0) continue;
    *end = (trm_end){.body = i};
    if (name[length] == 0) return true;
    for (int k = 0; name[length] == '.' && k < actor->point_count; k++)
      if (strcmp(name + length + 1, actor->point_names[k]) == 0) {
        memcpy(end->u, actor->points[k], sizeof end->u);
        return true;
      }
  }
  return false;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* How far a usual body reaches, in pixels. */
static double usual_reach(const trm_scene *scene, double *reaches) {
  for (int i = 0; i < scene->body_count; i++) {
    const trm_actor *actor = &scene->bodies[i];
    reaches[i] =
        actor->shape >= TRM_SHAPE_BOX && actor->shape <= TRM_SHAPE_CYLINDER ? actor->size[0] : 0;
    for (int k = 0; k < actor->point_count; k++) {
      const double *u = actor->points[k];
      reaches[i] = fmax(reaches[i], sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    }
  }
  qsort(reaches, (size_t)scene->body_count, sizeof *reaches, ascending);
  return reaches[scene->body_count / 2];
}

static void choose_colors(trm_drawing *drawing) {
  bool dark = drawing->options.dark;
  drawing->ink = dark ? 0xe4e8ee : 0x1d2430;
  drawing->paper = drawing->options.background;
  drawing->faint = dark ? 0x9aa4b2 : 0x7c8593;
  drawing->spring = dark ? 0xb892d8 : 0x8a5fb0;
}

trm_drawing *trm_drawing_create(const trm_scene *scene, const trm_drawing_options *options,
                                trm_diagnostics *diagnostics) {
  trm_drawing_options own = plain;
  if (!trm_sized_take_or_report(&own, sizeof own, options, "trm_default_drawing_options",
                                diagnostics))
    return NULL;
  trm_drawing *drawing = calloc(1, sizeof *drawing);
  double *reaches = calloc((size_t)scene->body_count + 1, sizeof *reaches);
  if (!drawing || !reaches) {
    trm_report(diagnostics, TRM_ERROR, "out of memory");
    free(drawing);
    free(reaches);
    return NULL;
  }
  drawing->scene = scene;
  drawing->options = own;
  drawing->home = trm_camera_fit(scene, drawing->options.width, drawing->options.height);
  drawing->camera = drawing->home;
  double smaller = fmin(drawing->options.width, drawing->options.height);
  drawing->unit = fmin(usual_reach(scene, reaches) * drawing->camera.scale, smaller / 3);
  if (drawing->unit <= 0) drawing->unit = smaller / 6;
  free(reaches);
  choose_colors(drawing);
  const char *trace = drawing->options.trace;
  if (!trace || find_point(scene, trace, &drawing->trace)) return drawing;
  trm_report(diagnostics, TRM_ERROR, "there is no point '%s' to trace; a point is body.point",
             trace);
  trm_drawing_destroy(drawing);
  return NULL;
}

void trm_drawing_destroy(trm_drawing *drawing) {
  if (!drawing) return;
  trm_picture_free(&drawing->picture);
  free(drawing);
}

void trm_drawing_render(trm_drawing *drawing, double t, unsigned char *pixels) {
  const trm_drawing_options *options = &drawing->options;
  trm_drawing_compose(drawing, t);
  trm_picture_raster(&drawing->picture, options->width, options->height, options->background,
                     pixels);
}

/* The convex hull of points: each face knows the points outside it, and the farthest of them
 * becomes a corner; the faces that it sees give way to faces from their outline to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"
#include "robot/mesh.h"

#define NEAR 1e-10 /* of the size: as near to a face as that is in it */

typedef struct face {
  int corner[3];
  double normal[3], offset; /* outward */
  int first;                /* of the points outside; −1: none is known */
  int farthest;
  double height; /* of that */
} face;

typedef struct hull {
  const double *points; /* [3 count] */
  int count;
  int *next; /* [count] in the list of a face, −1: the last */
  double near;
  int face_count, face_room;
  face *faces;
  int edge_count, edge_room;
  int (*edges)[2]; /* of the faces that are seen, in their direction */
  bool no_memory;
} hull;

static const double *point(const hull *h, int i) {
  return h->points + 3 * (size_t)i;
}

/* What it is to be for one more; NULL: no memory, all stays as it was. */
static void *make_room(hull *h, void *list, int count, int *room, size_t size) {
  if (count < *room) return list;
  int wanted = *room > 0 ? 2 * *room : 64;
  void *grown = realloc(list, (size_t)wanted * size);
  if (grown)
    *room = wanted;
  else
    h->no_memory = true;
  return grown ? grown : list;
}

static double height(const hull *h, const face *f, int i) {
  return trm_dot(3, f->normal, point(h, i)) - f->offset;
}

/* One without an area is seen from nowhere. */
static void add_face(hull *h, int a, int b, int c) {
  h->faces = make_room(h, h->faces, h->face_count, &h->face_room, sizeof *h->faces);
  if (h->no_memory) return;
  face *f = &h->faces[h->face_count++];
  double u[3], v[3];
  *f = (face){.corner = {a, b, c}, .first = -1};
  trm_sub(3, point(h, b), point(h, a), u);
  trm_sub(3, point(h, c), point(h, a), v);
  trm_cross(u, v, f->normal);
  double size = trm_norm(3, f->normal);
  for (int k = 0; k < 3; k++) f->normal[k] = size > 0 ? f->normal[k] / size : 0;
  f->offset = trm_dot(3, f->normal, point(h, a));
}

static void add_edge(hull *h, int a, int b) {
  h->edges = make_room(h, h->edges, h->edge_count, &h->edge_room, sizeof *h->edges);
  if (h->no_memory) return;
  h->edges[h->edge_count][0] = a;
  h->edges[h->edge_count++][1] = b;
}

/* On the outline of what is seen: its reverse belongs to a face that is not. */
static bool is_outline(const hull *h, int edge) {
  for (int i = 0; i < h->edge_count; i++)
    if (h->edges[i][0] == h->edges[edge][1] && h->edges[i][1] == h->edges[edge][0]) return false;
  return true;
}

/* Gives the points of a list to the faces from `from` on; those inside all of them are forgotten.
 */
static void share_out(hull *h, int first, int from) {
  for (int i = first, after; i >= 0; i = after) {
    after = h->next[i];
    for (int k = from; k < h->face_count; k++) {
      face *f = &h->faces[k];
      double above = height(h, f, i);
      if (!(above > h->near)) continue;
      if (f->first < 0 || above > f->height) f->farthest = i, f->height = above;
      h->next[i] = f->first;
      f->first = i;
      break;
    }
  }
}

static void add_point(hull *h, int i) {
  int kept = 0, loose = -1;
  h->edge_count = 0;
  for (int k = 0; k < h->face_count && !h->no_memory; k++) {
    face f = h->faces[k];
    if (!(height(h, &f, i) > h->near)) {
      h->faces[kept++] = f;
      continue;
    }
    for (int c = 0; c < 3; c++) add_edge(h, f.corner[c], f.corner[(c + 1) % 3]);
    for (int p = f.first, after; p >= 0; p = after) {
      after = h->next[p];
      if (p == i) continue;
      h->next[p] = loose;
      loose = p;
    }
  }
  if (h->no_memory) return;
  h->face_count = kept;
  for (int k = 0; k < h->edge_count && !h->no_memory; k++)
    if (is_outline(h, k)) add_face(h, h->edges[k][0], h->edges[k][1], i);
  share_out(h, loose, kept);
}

/* Until no point is outside. */
static void grow(hull *h) {
  for (int i = 0; i < h->count; i++) h->next[i] = i - 1;
  share_out(h, h->count - 1, 0);
  for (int k = 0; k < h->face_count && !h->no_memory;)
    if (h->faces[k].first >= 0)
      add_point(h, h->faces[k].farthest), k = 0;
    else
      k++;
}

/* ---- four points to begin with ---- */

/* Of all points the one farthest from a point, from a line through two, or from a plane. */
static int farthest(const hull *h, int known, const int *from, double *far) {
  int best = 0;
  double normal[3] = {0}, u[3] = {0}, v[3], w[3];
  *far = -1;
  if (known > 1) trm_sub(3, point(h, from[1]), point(h, from[0]), u);
  if (known > 2) {
    trm_sub(3, point(h, from[2]), point(h, from[0]), v);
    trm_cross(u, v, normal);
  }
  double length = known > 2 ? trm_norm(3, normal) : known > 1 ? trm_norm(3, u) : 1;
  for (int i = 0; i < h->count; i++) {
    trm_sub(3, point(h, i), point(h, from[0]), w);
    trm_cross(u, w, v);
    double d = known == 1   ? trm_norm(3, w)
               : known == 2 ? trm_norm(3, v) / length
                            : fabs(trm_dot(3, normal, w)) / length;
    if (d > *far) *far = d, best = i;
  }
  return best;
}

/* False: all lie in a plane. */
static bool begin(hull *h) {
  int p[4] = {0};
  double far;
  if (h->count == 0) return false;
  p[0] = farthest(h, 1, p, &far);
  h->near = NEAR * far;
  for (int k = 1; k < 4; k++) {
    p[k] = farthest(h, k, p, &far);
    if (!(far > h->near)) return false;
  }
  double a[3], b[3], c[3], n[3];
  trm_sub(3, point(h, p[1]), point(h, p[0]), a);
  trm_sub(3, point(h, p[2]), point(h, p[0]), b);
  trm_sub(3, point(h, p[3]), point(h, p[0]), c);
  trm_cross(a, b, n);
  if (trm_dot(3, n, c) > 0) { /* the fourth is below the first three */
    int other = p[1];
    p[1] = p[2];
    p[2] = other;
  }
  add_face(h, p[0], p[1], p[2]);
  add_face(h, p[0], p[3], p[1]);
  add_face(h, p[1], p[3], p[2]);
  add_face(h, p[2], p[3], p[0]);
  return true;
}

const char *trm_robot_mesh_hull(trm_robot *robot, int count, const double *points,
                                trm_robot_mesh *mesh) {
  const trm_robot_pose here = trm_robot_identity();
  hull h = {.points = points, .count = count, .next = malloc((size_t)count * sizeof *h.next + 1)};
  h.no_memory = !h.next;
  bool solid = begin(&h);
  if (solid && !h.no_memory) grow(&h);
  for (int i = 0; solid && i < h.face_count && !h.no_memory; i++) {
    const int *c = h.faces[i].corner;
    trm_mesh_add(robot, mesh, &here, point(&h, c[0]), point(&h, c[1]), point(&h, c[2]));
  }
  free(h.next);
  free(h.faces);
  free(h.edges);
  return h.no_memory ? "out of memory" : solid ? NULL : "its points lie in a plane";
}

const char *trm_mesh_take_hull(const trm_mesh_target *t, int count, const double *points) {
  trm_robot_mesh mesh = {0};
  const char *problem = trm_robot_mesh_hull(t->robot, count, points, &mesh);
  for (int i = 0; !problem && i < mesh.count; i++) {
    double corners[3][3];
    memcpy(corners, mesh.corners + 9 * (size_t)i, sizeof corners);
    if (!trm_mesh_take(t, corners)) return "out of memory";
  }
  return problem;
}

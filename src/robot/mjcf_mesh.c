/* Meshes of MJCF: assets that are files, or points and faces. */
#include <stdlib.h>
#include <string.h>

#include "robot/mesh.h"
#include "robot/mjcf.h"
#include "robot/path.h"

static const trm_xml *find(const trm_mjcf *m, const char *name) {
  if (!name) return NULL;
  for (const trm_xml *a = trm_xml_child(m->root, "asset"); a; a = trm_xml_sibling(a, "asset"))
    for (const trm_xml *e = trm_xml_child(a, "mesh"); e; e = trm_xml_sibling(e, "mesh")) {
      const char *own = trm_xml_get(e, "name"), *file = trm_xml_get(e, "file");
      if (own && strcmp(own, name) == 0) return e;
      const char *slash = file ? strrchr(file, '/') : NULL, *base = slash ? slash + 1 : file;
      const char *dot = base ? strrchr(base, '.') : NULL;
      size_t length = !base ? 0 : dot ? (size_t)(dot - base) : strlen(base);
      if (!own && base && strlen(name) == length && strncmp(base, name, length) == 0) return e;
    }
  return NULL;
}

/* All numbers of an attribute, in threes; NULL: there are none, or something else. */
static double *read_threes(const char *text, int *count) {
  double none;
  int numbers = text ? trm_xml_numbers(text, 0, &none) : 0;
  *count = numbers / 3;
  if (numbers < 1 || numbers % 3 != 0) return NULL;
  double *values = malloc((size_t)numbers * sizeof *values);
  if (values) trm_xml_numbers(text, numbers, values);
  return values;
}

static const char *take_given(const trm_mesh_target *t, const char *vertex, const char *face) {
  int count, face_count = 0;
  double *points = read_threes(vertex, &count);
  double *corners = face ? read_threes(face, &face_count) : NULL;
  int *faces = malloc(3 * (size_t)face_count * sizeof *faces + 1);
  const char *problem = NULL;
  if (!points || (face && !corners)) problem = "vertex and face are numbers, three each";
  for (int i = 0; corners && faces && i < 3 * face_count; i++)
    faces[i] = corners[i] >= 0 && corners[i] < count ? (int)corners[i] : -1;
  if (!faces) problem = "out of memory";
  if (!problem) problem = trm_mesh_take_faces(t, count, points, face_count, faces);
  free(points);
  free(corners);
  free(faces);
  return problem;
}

static trm_mesh_inertia inertia_of(trm_mjcf *m, const trm_xml *asset) {
  static const char *const words[] = {"legacy", "exact", "convex", "shell"};
  const char *given = trm_mjcf_get(m, asset, "inertia");
  for (int i = 0; given && i < 4; i++)
    if (strcmp(given, words[i]) == 0) return (trm_mesh_inertia)i;
  return m->exact_meshes ? TRM_MESH_EXACT : TRM_MESH_LEGACY;
}

static void find_file(trm_mjcf *m, const trm_xml *asset, const char *given, char *path) {
  char file[TRM_ROBOT_LONGEST_PATH];
  const char *slash = m->strip_path ? strrchr(given, '/') : NULL;
  snprintf(file, sizeof file, "%s%s", *given == '/' ? "" : m->mesh_folder,
           slash ? slash + 1 : given);
  if (!trm_robot_is_beside(m->root->file, file, path, TRM_ROBOT_LONGEST_PATH))
    trm_robot_beside(asset->file, given, path, TRM_ROBOT_LONGEST_PATH); /* in an included file */
}

const char *trm_mjcf_mesh(trm_mjcf *m, const char *name, trm_robot_mesh *mesh,
                          trm_mesh_inertia *how) {
  char path[TRM_ROBOT_LONGEST_PATH];
  const trm_xml *asset = find(m, name);
  double scale[3] = {1, 1, 1}, v[4];
  if (!asset) return "there is no such mesh";
  const char *file = trm_mjcf_get(m, asset, "file"), *vertex = trm_mjcf_get(m, asset, "vertex");
  *how = inertia_of(m, asset);
  if (!file && !vertex) return "it has no file and no vertex";
  trm_mjcf_vector(m, asset, "scale", 3, scale);
  trm_robot_pose pose = trm_robot_identity(), origin = trm_robot_identity();
  bool moved = trm_mjcf_vector(m, asset, "refpos", 3, origin.x);
  bool turned = trm_mjcf_vector(m, asset, "refquat", 4, v);
  if (turned) trm_robot_quaternion(v, origin.R);
  if (moved || turned) pose = trm_robot_relative(&origin, &pose);
  const trm_mesh_target target = {m->robot, scale, &pose, mesh};
  if (!file) return take_given(&target, vertex, trm_mjcf_get(m, asset, "face"));
  find_file(m, asset, file, path);
  return trm_robot_mesh_read(m->robot, path, scale, &pose, mesh);
}

const char *trm_mjcf_mesh_label(const trm_mjcf *m, const trm_xml *geom) {
  const char *name = trm_mjcf_get(m, geom, "mesh");
  const trm_xml *asset = find(m, name);
  const char *file = asset ? trm_mjcf_get(m, asset, "file") : NULL;
  return file ? file : name;
}

/* glTF 2.0 in one binary file: https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/version.h>

#include "base/locale.h"
#include "base/text.h"
#include "math/vector.h"
#include "report/solid.h"
#include "result/output.h"

enum { FLOAT = 5126, VERTICES = 34962 };

/* An accessor and its view: `size` floats of a kind. */
typedef struct accessor {
  size_t offset, count; /* bytes, elements */
  int components;
  bool vertices, ranged;
  float low[3], high[3];
} accessor;

typedef struct exporter {
  const trm_scene *scene;
  float *data;
  size_t used, capacity; /* floats */
  accessor *accessors;
  int accessor_count;
  int *mesh; /* of each body, the ground, the things on it: first accessor, or −1 */
  bool no_memory;
} exporter;

/* --- numbers --- */

static void push(exporter *e, float value) {
  if (e->used == e->capacity) {
    size_t wanted = e->capacity ? 2 * e->capacity : 4096;
    float *larger = realloc(e->data, wanted * sizeof *larger);
    if (!larger) {
      e->no_memory = true;
      return;
    }
    e->data = larger;
    e->capacity = wanted;
  }
  e->data[e->used++] = value;
}

static accessor *begin(exporter *e, int components, bool vertices, bool ranged) {
  accessor *a = &e->accessors[e->accessor_count++];
  *a = (accessor){
      .offset = 4 * e->used, .components = components, .vertices = vertices, .ranged = ranged};
  for (int k = 0; k < 3; k++) {
    a->low[k] = INFINITY;
    a->high[k] = -INFINITY;
  }
  return a;
}

static void add(exporter *e, accessor *a, const float *values) {
  for (int k = 0; k < a->components; k++) {
    if (k < 3) {
      a->low[k] = fminf(a->low[k], values[k]);
      a->high[k] = fmaxf(a->high[k], values[k]);
    }
    push(e, values[k]);
  }
  a->count++;
}

/* Flat shading: every triangle has its own normal. */
static void normal_of(const float *c, float n[3]) {
  double a[3], b[3], cross[3];
  for (int k = 0; k < 3; k++) {
    a[k] = (double)c[3 + k] - c[k];
    b[k] = (double)c[6 + k] - c[k];
  }
  trm_cross(a, b, cross);
  double size = trm_norm(3, cross);
  for (int k = 0; k < 3; k++) n[k] = size > 0 ? (float)(cross[k] / size) : (float)(k == 2);
}

static void add_mesh(exporter *e, int index, const trm_actor *actor, double radius) {
  trm_solid solid = {0};
  trm_solid_of(e->scene, actor, radius, &solid);
  e->no_memory |= solid.no_memory;
  e->mesh[index] = solid.count > 0 ? e->accessor_count : -1;
  if (solid.count > 0) {
    accessor *positions = begin(e, 3, true, true);
    for (int i = 0; i < 3 * solid.count; i++) add(e, positions, solid.corners + 3 * (size_t)i);
    accessor *normals = begin(e, 3, true, false);
    for (int i = 0; i < 3 * solid.count; i++) {
      float n[3];
      normal_of(solid.corners + 9 * (size_t)(i / 3), n);
      add(e, normals, n);
    }
  }
  free(solid.corners);
}

static void add_motion(exporter *e, int body) {
  accessor *places = begin(e, 3, false, false);
  double r[3], q[4];
  for (int f = 0; f < e->scene->frame_count; f++) {
    trm_scene_frame(e->scene, body, f, r, q);
    add(e, places, (float[3]){(float)r[0], (float)r[1], (float)r[2]});
  }
  accessor *turns = begin(e, 4, false, false);
  for (int f = 0; f < e->scene->frame_count; f++) {
    trm_scene_frame(e->scene, body, f, r, q);
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(norm > 0)) q[0] = norm = 1;
    add(e, turns,
        (float[4]){(float)(q[1] / norm), (float)(q[2] / norm), (float)(q[3] / norm),
                   (float)(q[0] / norm)});
  }
}

/* Rods as thick as a thirtieth of what a usual body reaches. */
static double rod_radius(const trm_scene *scene) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < scene->body_count; i++)
    for (int k = 0; k < scene->bodies[i].point_count; k++, count++)
      sum += trm_norm(3, scene->bodies[i].points[k]);
  return count > 0 && sum > 0 ? sum / count / 30 : 0.02;
}

/* Order: times, motions (two each), then the meshes (two each). */
static void collect(exporter *e) {
  const trm_scene *scene = e->scene;
  double radius = rod_radius(scene);
  accessor *times = begin(e, 1, false, true);
  for (int f = 0; f < scene->frame_count; f++) {
    float t = (float)(scene->t[f] - scene->t[0]);
    /* times must grow strictly; the last frame of a failed run may be very near */
    if (f > 0 && t <= times->high[0]) t = nextafterf(times->high[0], INFINITY);
    add(e, times, &t);
  }
  for (int i = 0; i < scene->body_count; i++) add_motion(e, i);
  for (int i = 0; i < scene->body_count; i++) add_mesh(e, i, &scene->bodies[i], radius);
  bool ground = scene->ground.shape != TRM_SHAPE_LINES;
  e->mesh[scene->body_count] = -1;
  if (ground) add_mesh(e, scene->body_count, &scene->ground, radius);
  for (int i = 0; i < scene->thing_count; i++)
    add_mesh(e, scene->body_count + 1 + i, &scene->things[i], radius);
}

/* --- JSON --- */

static void write_string(FILE *json, const char *text) {
  fputc('"', json);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(json, "\\%c", c);
    else if (c < 0x20)
      fprintf(json, "\\u%04x", c);
    else
      fputc(c, json);
  }
  fputc('"', json);
}

/* Upward is y in glTF: the rotation that takes our upward there, about an axis in between. */
static void upright(const trm_scene *scene, double q[4]) {
  double g = trm_norm(3, scene->gravity);
  double up[3] = {0, 1, 0};
  for (int k = 0; g > 0 && scene->dim == 3 && k < 3; k++) up[k] = -scene->gravity[k] / g;
  if (g == 0 && scene->dim == 3) up[1] = 0, up[2] = 1;
  double half[3] = {up[0], up[1] + 1, up[2]}, size = trm_norm(3, half);
  q[0] = -1, q[1] = q[2] = 0, q[3] = 0;
  if (size < 1e-9) { /* upside down: half a turn about x */
    q[0] = 1;
    return;
  }
  for (int k = 0; k < 3; k++) half[k] /= size;
  trm_cross(up, half, q);
  q[3] = trm_dot(3, up, half);
}

static const trm_actor *actor_of(const exporter *e, int index) {
  int thing = index - e->scene->body_count - 1;
  if (thing >= 0) return &e->scene->things[thing];
  return thing < -1 ? &e->scene->bodies[index] : &e->scene->ground;
}

static void write_place(const exporter *e, int index, FILE *json) {
  const trm_scene *scene = e->scene;
  if (index < scene->body_count) {
    double r[3], p[4];
    trm_scene_frame(scene, index, 0, r, p);
    fprintf(json, ",\"translation\":[%.9g,%.9g,%.9g],\"rotation\":[%.9g,%.9g,%.9g,%.9g]", r[0],
            r[1], r[2], p[1], p[2], p[3], p[0]);
  } else if (index > scene->body_count) {
    static const trm_pose home = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const trm_pose *pose = &scene->thing_poses[index - scene->body_count - 1];
    if (memcmp(pose, &home, sizeof home) == 0) return; /* the default is left out */
    fputs(",\"matrix\":[", json);
    for (int k = 0; k < 3; k++)
      fprintf(json, "%.9g,%.9g,%.9g,0,", pose->R[k], pose->R[3 + k], pose->R[6 + k]);
    fprintf(json, "%.9g,%.9g,%.9g,1]", pose->r[0], pose->r[1], pose->r[2]);
  }
}

/* Node 0 stands everything upright; body i is node i + 1, then the ground and what is on it. */
static void write_nodes(const exporter *e, FILE *json) {
  int count = e->scene->body_count, mesh = 0, all = count + 1 + e->scene->thing_count;
  bool ground = e->mesh[count] >= 0;
  double q[4];
  upright(e->scene, q);
  fputs("\"nodes\":[{\"name\":", json);
  write_string(json, *e->scene->name ? e->scene->name : "mechanism");
  fprintf(json, ",\"rotation\":[%.9g,%.9g,%.9g,%.9g],\"children\":[", q[0], q[1], q[2], q[3]);
  for (int i = 0; i < all - !ground; i++) fprintf(json, "%s%d", i ? "," : "", i + 1);
  fputs("]}", json);
  for (int i = 0; i < all; i++) {
    if (i == count && !ground) continue;
    fputs(",{\"name\":", json);
    write_string(json, actor_of(e, i)->name);
    if (e->mesh[i] >= 0) fprintf(json, ",\"mesh\":%d", mesh++);
    write_place(e, i, json);
    fputs("}", json);
  }
  fputs("]", json);
}

static double linear(unsigned color, int shift) { /* colours of materials are not gamma-coded */
  return pow((double)(color >> shift & 255) / 255, 2.2);
}

static void write_meshes(const exporter *e, FILE *json) {
  int all = e->scene->body_count + 1 + e->scene->thing_count, used = 0;
  for (int i = 0; i < all; i++) used += e->mesh[i] >= 0;
  if (used == 0) return;
  for (int list = 0; list < 2; list++) {
    int written = 0;
    fputs(list ? ",\"materials\":[" : ",\"meshes\":[", json);
    for (int i = 0; i < all; i++) {
      if (e->mesh[i] < 0) continue;
      if (written > 0) fputs(",", json);
      unsigned color = actor_of(e, i)->color;
      if (list)
        fprintf(json,
                "{\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.4g,%.4g,%."
                "4g,1],"
                "\"metallicFactor\":0.1,\"roughnessFactor\":0.7}}",
                linear(color, 16), linear(color, 8), linear(color, 0));
      else
        fprintf(
            json,
            "{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"material\":%d}]}",
            e->mesh[i], e->mesh[i] + 1, written);
      written++;
    }
    fputs("]", json);
  }
}

static void write_animation(const exporter *e, FILE *json) {
  int count = e->scene->body_count;
  fputs(",\"animations\":[{\"name\":\"motion\",\"samplers\":[", json);
  for (int i = 0; i < 2 * count; i++)
    fprintf(json, "%s{\"input\":0,\"output\":%d}", i ? "," : "", i + 1);
  fputs("],\"channels\":[", json);
  for (int i = 0; i < 2 * count; i++)
    fprintf(json, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", i ? "," : "", i,
            i / 2 + 1, i % 2 ? "rotation" : "translation");
  fputs("]}]", json);
}

static void write_range(FILE *json, const char *name, const float *values, int count) {
  fprintf(json, ",\"%s\":[", name);
  for (int k = 0; k < count; k++) fprintf(json, "%s%.9g", k ? "," : "", (double)values[k]);
  fputs("]", json);
}

static void write_accessors(const exporter *e, FILE *json) {
  static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  fputs(",\"accessors\":[", json);
  for (int i = 0; i < e->accessor_count; i++) {
    const accessor *a = &e->accessors[i];
    fprintf(json, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"",
            i ? "," : "", i, FLOAT, a->count, types[a->components]);
    if (a->ranged) {
      write_range(json, "min", a->low, a->components);
      write_range(json, "max", a->high, a->components);
    }
    fputs("}", json);
  }
  fputs("],\"bufferViews\":[", json);
  for (int i = 0; i < e->accessor_count; i++) {
    const accessor *a = &e->accessors[i];
    fprintf(json, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", i ? "," : "", a->offset,
            4 * a->count * (size_t)a->components);
    if (a->vertices) fprintf(json, ",\"target\":%d", VERTICES);
    fputs("}", json);
  }
  fprintf(json, "],\"buffers\":[{\"byteLength\":%zu}]", 4 * e->used);
}

/* The JSON part, padded with spaces to whole words; free() it. */
static char *compose(const exporter *e, size_t *length) {
  char *text = NULL;
  FILE *json = open_memstream(&text, length);
  if (!json) return NULL;
  trm_locale caller = trm_locale_begin();
  fprintf(json,
          "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Trammel "
          "%s\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],",
          trm_version());
  write_nodes(e, json);
  write_meshes(e, json);
  write_animation(e, json);
  write_accessors(e, json);
  fputs("}", json);
  fflush(json);
  while (*length % 4 != 0) {
    fputc(' ', json);
    fflush(json);
  }
  trm_locale_end(caller);
  bool failed = ferror(json) != 0;
  if (fclose(json) == 0 && !failed) return text; /* NULL, too, where memory ran out */
  free(text);
  return NULL;
}

/* --- the file --- */

static void write_word(trm_output *output, uint32_t word) {
  const unsigned char bytes[4] = {(unsigned char)word, (unsigned char)(word >> 8),
                                  (unsigned char)(word >> 16), (unsigned char)(word >> 24)};
  trm_output_write(output, (const char *)bytes, 4);
}

static void write_floats(trm_output *output, const float *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, &values[i], 4);
    write_word(output, bits);
  }
}

static trm_status write_file(const exporter *e, const char *path, trm_diagnostics *diagnostics) {
  size_t length = 0;
  char *json = e->no_memory ? NULL : compose(e, &length);
  trm_output *output = json ? trm_output_open(path, diagnostics) : NULL;
  if (!output) {
    if (!json) trm_report(diagnostics, TRM_ERROR, "out of memory");
    free(json);
    return TRM_NO_MEMORY;
  }
  write_word(output, 0x46546c67); /* "glTF" */
  write_word(output, 2);
  write_word(output, (uint32_t)(12 + 8 + length + 8 + 4 * e->used));
  write_word(output, (uint32_t)length);
  write_word(output, 0x4e4f534a); /* "JSON" */
  trm_output_write(output, json, length);
  write_word(output, (uint32_t)(4 * e->used));
  write_word(output, 0x004e4942); /* "BIN" */
  write_floats(output, e->data, e->used);
  free(json);
  return trm_output_close(output, diagnostics);
}

trm_status trm_scene_write_glb(const trm_scene *scene, const char *path,
                               trm_diagnostics *diagnostics) {
  size_t bodies = (size_t)scene->body_count, still = 1 + (size_t)scene->thing_count;
  exporter e = {.scene = scene};
  e.accessors = calloc(1 + 2 * bodies + 2 * (bodies + still), sizeof *e.accessors);
  e.mesh = calloc(bodies + still, sizeof *e.mesh);
  if (e.accessors && e.mesh)
    collect(&e);
  else
    e.no_memory = true;
  trm_status status = write_file(&e, path, diagnostics);
  free(e.data);
  free(e.accessors);
  free(e.mesh);
  return status;
}

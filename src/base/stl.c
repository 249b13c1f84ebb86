/* STL, binary and text. */
#include "base/stl.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 84, RECORD = 50 };

static uint32_t number_at(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

static float float_at(const unsigned char *bytes) {
  uint32_t bits = number_at(bytes);
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static bool is_binary(const unsigned char *bytes, size_t size) {
  return size >= HEADER && size == HEADER + (size_t)number_at(bytes + 80) * RECORD;
}

static const char *take_binary(trm_stl *mesh, const unsigned char *bytes) {
  uint32_t count = number_at(bytes + 80);
  if (count > (uint32_t)mesh->most) return "it has too many triangles";
  mesh->corners = malloc(((size_t)count * 9 + 1) * sizeof *mesh->corners);
  if (!mesh->corners) return "out of memory";
  for (uint32_t i = 0; i < count; i++)
    for (size_t k = 0; k < 9; k++)
      mesh->corners[9 * i + k] = float_at(bytes + HEADER + (size_t)i * RECORD + 12 + 4 * k);
  mesh->count = (int)count;
  return NULL;
}

/* Each "vertex x y z"; three make a triangle. */
static const char *take_text(trm_stl *mesh, const char *text) {
  size_t corners = 0, capacity = 0;
  for (const char *at = text; (at = strstr(at, "vertex")); corners++) {
    if (corners == capacity) {
      if (capacity / 3 > (size_t)mesh->most) return "it has too many triangles";
      capacity = capacity ? 2 * capacity : 768;
      float *grown = realloc(mesh->corners, capacity * 3 * sizeof *grown);
      if (!grown) return "out of memory";
      mesh->corners = grown;
    }
    at += strlen("vertex");
    for (size_t k = 0; k < 3; k++) {
      char *end;
      mesh->corners[3 * corners + k] = strtof(at, &end);
      if (end == at) return "a vertex has fewer than three numbers";
      at = end;
    }
  }
  if (corners == 0 || corners % 3 != 0) return "it is no STL file";
  mesh->count = (int)(corners / 3);
  return NULL;
}

static const char *check_finite(const trm_stl *mesh) {
  for (int i = 0; i < 9 * mesh->count; i++)
    if (!isfinite(mesh->corners[i])) return "a coordinate is no finite number";
  return NULL;
}

const char *trm_stl_parse(trm_stl *mesh, const char *text, size_t length) {
  const unsigned char *bytes = (const unsigned char *)text;
  const char *problem = is_binary(bytes, length) ? take_binary(mesh, bytes) : take_text(mesh, text);
  return problem ? problem : check_finite(mesh);
}

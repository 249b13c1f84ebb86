/* Triangles of STL files. */
#ifndef TRM_BASE_STL_H
#define TRM_BASE_STL_H

#include <stddef.h>

typedef struct trm_stl {
  int most;       /* triangles; set by the caller */
  int count;      /* triangles */
  float *corners; /* [count × 9], counted from outside; free with free */
} trm_stl;

/* What is wrong with the file, or NULL; there may be corners to free in both cases. The locale must
 * have a decimal point. */
const char *trm_stl_parse(trm_stl *mesh, const char *text, size_t length);

#endif

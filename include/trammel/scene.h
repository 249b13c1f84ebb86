/* The mechanism of a run and how it moved, in a file of its own: for pictures, films and other
 * programs. */
#ifndef TRAMMEL_SCENE_H
#define TRAMMEL_SCENE_H

#include <stddef.h>
#include <trammel/export.h>
#include <trammel/simulation.h>

TRM_BEGIN_C

/* scene.json, after trm_simulation_run with trm_simulation_keep_frames before it. Meshes that
 * cannot be read are warnings. Reports what went wrong and returns TRM_IO_ERROR or TRM_NO_MEMORY.
 */
TRM_API trm_status trm_scene_write(const trm_simulation *simulation, const char *path,
                                   trm_diagnostics *diagnostics);

typedef struct trm_scene trm_scene;

/* From a scene.json with frames; NULL, reported, where it is none. */
TRM_API trm_scene *trm_scene_read(const char *path, trm_diagnostics *diagnostics);
TRM_API void trm_scene_destroy(trm_scene *scene); /* accepts NULL */

TRM_API double trm_scene_start(const trm_scene *scene); /* times of the first and last frame */
TRM_API double trm_scene_end(const trm_scene *scene);

/* Colours are 0xrrggbb. */
typedef struct trm_drawing_options {
  size_t size;       /* of this struct, see export.h */
  int width, height; /* pixels */
  unsigned background;
  bool dark;         /* light symbols: for a dark background */
  bool joints;       /* and springs, guides, ground */
  int ghosts;        /* earlier and later positions, seen through a stroboscope */
  const char *trace; /* a point whose way is drawn ("foot.toe"), or NULL */
} trm_drawing_options;

TRM_API void trm_drawing_options_init(trm_drawing_options *defaults, size_t size);
static inline trm_drawing_options trm_default_drawing_options(void) {
  trm_drawing_options defaults;
  trm_drawing_options_init(&defaults, sizeof defaults);
  return defaults;
}

typedef struct trm_drawing trm_drawing;

/* Chooses the view: everything that moves fits. NULL, reported: an unknown point, no memory. The
 * scene must stay. */
TRM_API trm_drawing *trm_drawing_create(const trm_scene *scene, const trm_drawing_options *options,
                                        trm_diagnostics *diagnostics);
TRM_API void trm_drawing_destroy(trm_drawing *drawing); /* accepts NULL */

/* The picture at a time: width × height × 3 bytes, red green blue, from the top left. */
TRM_API void trm_drawing_render(trm_drawing *drawing, double t, unsigned char *pixels);
/* The whole motion as one SVG that moves by itself, `frames` positions in `seconds`; 1 frame: a
 * still at time `start`. */
TRM_API trm_status trm_drawing_write_svg(trm_drawing *drawing, double start, double end, int frames,
                                         double seconds, const char *path,
                                         trm_diagnostics *diagnostics);

/* glTF 2.0, binary: a node for each body, an animation of all. */
TRM_API trm_status trm_scene_write_glb(const trm_scene *scene, const char *path,
                                       trm_diagnostics *diagnostics);

TRM_END_C

#endif

/* Scenes: read, drawn and exported. */
#include <stdlib.h>
#include <trammel/scene.h>

#include "fuzz.h"

enum { WIDTH = 64, HEIGHT = 48 };

static void draw(const trm_scene *scene) {
  static unsigned char pixels[WIDTH * HEIGHT * 3];
  trm_drawing_options options = trm_default_drawing_options();
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  options.width = WIDTH;
  options.height = HEIGHT;
  options.joints = true;
  trm_drawing *drawing = trm_drawing_create(scene, &options, diagnostics);
  fuzz_check(diagnostics, drawing != NULL);
  double start = trm_scene_start(scene), end = trm_scene_end(scene);
  if (drawing) {
    trm_drawing_render(drawing, (start + end) / 2, pixels);
    trm_drawing_write_svg(drawing, start, end, 2, 1, "/dev/null", diagnostics);
  }
  trm_scene_write_glb(scene, "/dev/null", diagnostics);
  trm_drawing_destroy(drawing);
  trm_diagnostics_destroy(diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_scene *scene = trm_scene_read(fuzz_file(data, size), diagnostics);
  fuzz_check(diagnostics, scene != NULL);
  if (scene) draw(scene);
  trm_scene_destroy(scene);
  trm_diagnostics_destroy(diagnostics);
  return 0;
}

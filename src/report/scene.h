/* The mechanism for pictures, as JSON: scene.json, what web/ and trammel film draw from. */
#ifndef TRM_REPORT_SCENE_H
#define TRM_REPORT_SCENE_H

#include "analysis/simulation.h"
#include "result/json.h"

/* "name"; "scene": bodies, ground, joints, forces, points in the frames of their bodies; "frames":
 * times and the layout of the numbers; "blocks": these numbers, and the triangles of meshes. Meshes
 * that cannot be read are warnings. False: no memory. */
bool trm_scene_write_fields(const trm_simulation *simulation, trm_json *json,
                            trm_diagnostics *diagnostics);

/* The text of a scene.json; free() it. NULL, reported, where it cannot be read or is none. */
char *trm_scene_text(const char *path, trm_diagnostics *diagnostics);

#endif

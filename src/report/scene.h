/* The mechanism for pictures, as JSON: what web/ and trammel film draw from. */
#ifndef TRM_REPORT_SCENE_H
#define TRM_REPORT_SCENE_H

#include "analysis/simulation.h"
#include "report/mesh.h"
#include "result/json.h"

/* "scene": bodies, ground, joints, forces; points are in the frames of their bodies. */
void trm_scene_write(const trm_model *model, const trm_mesh *meshes, int mesh_count,
                     trm_json *json);
/* "frames": times and the layout of the numbers in the block "frames". */
void trm_scene_write_frames(const trm_film *film, trm_json *json);

#endif

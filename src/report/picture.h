/* A drawing on its way to pixels or SVG: lines, areas and discs in pixels, from back to front. */
#ifndef TRM_REPORT_PICTURE_H
#define TRM_REPORT_PICTURE_H

#include "report/film.h"

typedef enum trm_mark_kind { TRM_MARK_LINE, TRM_MARK_AREA, TRM_MARK_DISC } trm_mark_kind;

typedef struct trm_mark {
  trm_mark_kind kind;
  unsigned color; /* 0xrrggbb */
  double opacity;
  double width;     /* of a line, or of a disc's rim (0: none) */
  double radius;    /* disc */
  unsigned rim;     /* colour of the rim */
  bool hollow;      /* a disc that is only its rim */
  int first, count; /* points */
} trm_mark;

typedef struct trm_picture {
  int mark_count, mark_capacity, point_count, point_capacity;
  trm_mark *marks;
  double (*points)[2];
  bool no_memory;
} trm_picture;

/* Appends a mark without points. */
void trm_picture_mark(trm_picture *picture, trm_mark mark);
/* Appends a point to the last mark. */
void trm_picture_point(trm_picture *picture, double x, double y);
void trm_picture_free(trm_picture *picture);

/* What looks: an orthographic camera. */
typedef struct trm_camera {
  double right[3], up[3];
  double scale, x, y; /* pixels per length; where the origin is */
} trm_camera;

/* Planar: the plane. In space: a flat mechanism from its front, others from a corner; everything
 * fits, or what is followed with all bodies around it, which is then at the origin. */
trm_camera trm_camera_fit(const trm_scene *scene, int width, int height);
/* The same carried along with what the scene follows. */
trm_camera trm_camera_at(const trm_camera *camera, const trm_scene *scene, double t);
void trm_camera_project(const trm_camera *camera, const double p[3], double at[2]);

struct trm_drawing {
  const trm_scene *scene;
  trm_drawing_options options;
  trm_camera home, camera;            /* as it was fitted; where it is now */
  trm_end trace;                      /* its point */
  double unit;                        /* pixels of a usual body */
  unsigned ink, paper, faint, spring; /* colours of symbols */
  trm_picture picture;
};

/* Fills drawing->picture; the same marks with as many points at every time. False: no memory. */
bool trm_drawing_compose(trm_drawing *drawing, double t);
/* Springs, guides, pins. */
void trm_draw_symbols(trm_drawing *drawing, double t, bool under);

void trm_picture_raster(const trm_picture *picture, int width, int height, unsigned background,
                        unsigned char *pixels);

#endif

/* Connecting: which body, which of its points, and directions carried by it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vector.h"
#include "model/build.h"

static const trm_body *body_of(const trm_model *model, int body) {
  return body == TRM_GROUND ? &model->ground : &model->bodies[body];
}

/* local = Rᵀ v */
void trm_into_body(const trm_model *model, int body, const double v[3], double local[3]) {
  const double *R = body_of(model, body)->R;
  for (int k = 0; k < 3; k++) local[k] = R[k] * v[0] + R[3 + k] * v[1] + R[6 + k] * v[2];
}

void trm_from_body(const trm_model *model, int body, const double local[3], double v[3]) {
  const double *R = body_of(model, body)->R;
  for (int k = 0; k < 3; k++) v[k] = trm_dot(3, R + 3 * k, local);
}

void trm_end_as_written(const trm_model *model, const trm_end *end, double r[3]) {
  trm_from_body(model, end->body, end->u, r);
  trm_add(3, body_of(model, end->body)->position, r);
}

/* The size of the numbers that a point's place is computed from. */
static double reach(const trm_model *model, const trm_end *end) {
  return trm_norm(3, body_of(model, end->body)->position) + trm_norm(3, end->u);
}

/* d = r1 − r0; returns what of it may be round-off. */
static double gap_as_written(const trm_model *model, const trm_end end[2], double d[3]) {
  const double round_off = 1e-12; /* of points meant to coincide; relative */
  double a[3], b[3];
  trm_end_as_written(model, &end[0], a);
  trm_end_as_written(model, &end[1], b);
  trm_sub(3, b, a, d);
  return round_off * (reach(model, &end[0]) + reach(model, &end[1]));
}

double trm_distance_as_written(const trm_model *model, const trm_end end[2]) {
  double d[3], round_off = gap_as_written(model, end, d), distance = trm_norm(3, d);
  return distance > round_off ? distance : 0;
}

double trm_offset_as_written(const trm_model *model, const trm_end end[2], const double axis[3]) {
  double d[3], a[3], round_off = gap_as_written(model, end, d);
  trm_from_body(model, end[0].body, axis, a);
  double offset = trm_cross_z(a, d);
  return fabs(offset) > round_off ? offset : 0;
}

double trm_height_as_written(const trm_model *model, const trm_end end[2], const double axis[3]) {
  double d[3], n[3], round_off = gap_as_written(model, end, d);
  trm_from_body(model, end[0].body, axis, n);
  double height = trm_dot(3, n, d);
  return fabs(height) > round_off ? height : 0;
}

static bool find_body(trm_draft *draft, const trm_subject *subject, const trm_side *side,
                      size_t length, int *body) {
  const trm_model *model = draft->model;
  trm_item item;
  char hint[128];
  *body = TRM_GROUND;
  if (trm_text_is("ground", side->text, length)) return true;
  if (!trm_index_find(model, side->text, length, &item)) {
    trm_suggest_item(model, TRM_ITEM_BODY, side->text, length, hint, sizeof hint);
    TRM_DRAFT_ERROR(draft, subject, side->key, ": unknown body '%.*s'%s", (int)length, side->text,
                    hint);
    return false;
  }
  if (item.kind != TRM_ITEM_BODY) {
    TRM_DRAFT_ERROR(draft, subject, side->key, ": '%.*s' is a %s, a body is needed here",
                    (int)length, side->text, trm_item_kind_name(model, item));
    return false;
  }
  *body = item.index;
  return true;
}

static void report_no_point(trm_draft *draft, const trm_subject *subject, const trm_side *side,
                            const trm_body *body, const char *point) {
  char owner[128] = "ground", list[256];
  if (body != &draft->model->ground) snprintf(owner, sizeof owner, "body '%s'", body->name);
  trm_list_points(body, list, sizeof list);
  TRM_DRAFT_ERROR(draft, subject, side->key, ": %s has no point '%s'%s%s", owner, point,
                  body->point_count ? "; its points are " : "; it has no points", list);
}

bool trm_draft_end(trm_draft *draft, const trm_subject *subject, const trm_side *side,
                   trm_end *end) {
  const trm_model *model = draft->model;
  size_t length = strcspn(side->text, ".");
  if (!find_body(draft, subject, side, length, &end->body)) return false;
  const trm_body *body = body_of(model, end->body);
  if (side->text[length] == '.') {
    int point = trm_index_point(model, side->text, strlen(side->text));
    if (point < 0)
      report_no_point(draft, subject, side, body, side->text + length + 1);
    else
      memcpy(end->u, body->points[point].u, sizeof end->u);
    return point >= 0;
  }
  if (side->at) {
    double d[3];
    trm_sub(3, side->at, body->position, d);
    trm_into_body(model, end->body, d, end->u);
  }
  return true;
}

/* `at` belongs to the sides that name no point; there must be one, and two points need both. */
static bool check_at(trm_draft *draft, const trm_subject *subject, const char *const connect[2],
                     const double *at, const double *second) {
  if (!at) return true;
  if (!trm_draft_vector(draft, subject, "at", at)) return false;
  if (!trm_draft_vector(draft, subject, "at", second)) return false;
  int named = (strchr(connect[0], '.') != NULL) + (strchr(connect[1], '.') != NULL);
  if (at != second && named > 0) {
    TRM_DRAFT_ERROR(draft, subject, "at",
                    ": at gives two points, but '%s' names one already: give one, or the bodies "
                    "alone",
                    strchr(connect[0], '.') ? connect[0] : connect[1]);
    return false;
  }
  if (named < 2) return true;
  TRM_DRAFT_ERROR(draft, subject, "at",
                  ": at says where the sides without a point are connected, but both '%s' and '%s' "
                  "name one",
                  connect[0], connect[1]);
  return false;
}

bool trm_draft_ends(trm_draft *draft, const trm_subject *subject, const char *const connect[2],
                    const double *at, const double *at_second, trm_end end[2]) {
  const trm_model *model = draft->model;
  if (!connect[0] || !connect[1]) {
    TRM_DRAFT_ERROR(draft, subject, NULL, ": connect is missing, it names the two sides");
    return false;
  }
  const trm_side first = {connect[0], "connect/0", at},
                 second = {connect[1], "connect/1", at_second};
  bool good = check_at(draft, subject, connect, at, at_second);
  good &= trm_draft_end(draft, subject, &first, &end[0]);
  good &= trm_draft_end(draft, subject, &second, &end[1]);
  if (!good || end[0].body != end[1].body) return good;
  if (end[0].body == TRM_GROUND)
    TRM_DRAFT_ERROR(draft, subject, "connect/1", " connects ground with itself");
  else
    TRM_DRAFT_ERROR(draft, subject, "connect/1", " connects body '%s' with itself",
                    model->bodies[end[0].body].name);
  return false;
}

bool trm_draft_direction(trm_draft *draft, const trm_subject *subject, const char *key,
                         const double from[3], double to[3]) {
  if (!trm_draft_vector(draft, subject, key, from)) return false;
  /* scaled first: the squares of tiny or huge components leave the range of numbers */
  double largest = fmax(fabs(from[0]), fmax(fabs(from[1]), fabs(from[2])));
  if (largest == 0) {
    TRM_DRAFT_ERROR(draft, subject, key, ": the axis has length zero, it must have a direction");
    return false;
  }
  for (int k = 0; k < 3; k++) to[k] = from[k] / largest;
  double length = trm_norm(3, to);
  for (int k = 0; k < 3; k++) to[k] /= length;
  return true;
}

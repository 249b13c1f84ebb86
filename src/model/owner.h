/* What a name stands for and the measures under it. Internal to this room. */
#ifndef TRM_MODEL_OWNER_H
#define TRM_MODEL_OWNER_H

#include "model/model.h"

typedef struct trm_measure_field {
  const char *name;
  trm_measure_kind kind;
  int component, level;
} trm_measure_field;

typedef struct trm_measure_group {
  const trm_measure_field *fields;
  int count;
} trm_measure_group;

enum { TRM_MOST_GROUPS = 5 };

typedef struct trm_owner {
  const char *kind; /* "body", "point", …, or "" for energy and its like */
  const char *name; /* "rod.B", a slice */
  size_t length;
  int index;
  trm_end end;
  const trm_body *body; /* of a body: it has points too */
  int groups;
  trm_measure_group group[TRM_MOST_GROUPS];
} trm_owner;

/* What a measure starts with: "rod.B.x" → the point "rod.B". On failure the reason is written. */
bool trm_owner_find(const trm_model *model, const char *text, size_t length, trm_owner *owner,
                    char *reason, size_t size);
trm_owner trm_owner_of_body(const trm_model *model, int index);
trm_owner trm_owner_of_point(const trm_model *model, int body, const trm_point *point,
                             const char *text, size_t length);

/* `rest` is no measure of the owner: says what its measures are. */
void trm_owner_explain(const trm_model *model, const trm_owner *owner, const char *rest,
                       size_t length, char *reason, size_t size);

#endif

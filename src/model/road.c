/* The road: height and friction as formulas of x and y. */
#include <stdio.h>
#include <string.h>

#include "model/build.h"

static const trm_subject subject = {"road", "road", NULL};

static trm_symbol look_up(void *context, const char *name, size_t length) {
  const trm_draft *draft = context;
  if (length == 1 && (name[0] == 'x' || name[0] == 'y'))
    return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = name[0] - 'x'};
  int parameter = trm_map_get(draft->parameters, name, length);
  if (parameter >= 0)
    return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT,
                        .value = draft->model->parameters[parameter].value};
  trm_item item;
  if (trm_text_is("t", name, length) || memchr(name, '.', length) ||
      trm_index_find(draft->model, name, length, &item))
    return (trm_symbol){.kind = TRM_SYMBOL_REFUSED,
                        .reason = "a road lies still: it is a formula of x, y and parameters"};
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
}

/* `written`: the text stands in the file, and a place in it means something. */
static void build(trm_draft *draft, const char *key, const char *text, bool written,
                  trm_quantity *quantity) {
  static const double nowhere[2] = {0, 0};
  trm_expression_error error = {0};
  trm_expression *formula =
      trm_expression_take(draft->model->shelf, text, look_up, draft, draft->folder, &error);
  if (!formula) {
    trm_draft_report(draft, TRM_ERROR, &subject, key, written ? error.offset : 0, ": %s: %s", key,
                     error.message);
  } else if (trm_expression_is_constant(formula)) {
    quantity->number = trm_expression_value(formula, nowhere);
    trm_draft_finite(draft, &subject, key, quantity->number);
    trm_expression_destroy(formula);
  } else {
    quantity->formula = formula;
  }
}

static void build_value(trm_draft *draft, const char *key, const trm_value *value,
                        trm_quantity *quantity) {
  if (value->text)
    build(draft, key, value->text, true, quantity);
  else if (trm_draft_finite(draft, &subject, key, value->number))
    quantity->number = value->number;
}

/* A grid is a table of two variables: smooth, and the end of the world at its edge. */
static void build_grid(trm_draft *draft, const char *file, trm_quantity *height) {
  size_t size = strlen(file) + 20;
  char *text = trm_arena_alloc(draft->arena, size, 1);
  if (!text) {
    draft->no_memory = true;
    return;
  }
  snprintf(text, size, "table2(x, y, \"%s\")", file);
  build(draft, "grid", text, false, height);
}

void trm_draft_road(trm_draft *draft) {
  trm_ground_form *road = &draft->model->road;
  road->friction.number = 1;
  if (draft->road_grid && draft->road_height.given)
    TRM_DRAFT_ERROR(draft, &subject, "grid", ": formula and grid are both given, one must go");
  else if (draft->road_grid)
    build_grid(draft, draft->road_grid, &road->height);
  else if (draft->road_height.given)
    build_value(draft, "formula", &draft->road_height, &road->height);
  if (!draft->road_friction.given) return;
  build_value(draft, "friction", &draft->road_friction, &road->friction);
  if (!road->friction.formula && !(road->friction.number >= 0))
    TRM_DRAFT_ERROR(draft, &subject, "friction", ": friction is %g, it cannot be negative",
                    road->friction.number);
}

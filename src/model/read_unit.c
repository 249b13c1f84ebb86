/* Units of the wrong kind: a mass in millimetres. Of numbers alone; formulas have none to compare.
 */
#include "expression/token.h"
#include "expression/unit.h"
#include "model/read_parts.h"

#include <string.h>

static const struct {
  const char *name, *unit;
  trm_dimension dimension;
} kinds[] = {[TRM_A_MASS] = {"mass", "kg", {0, 1, 0}},
             [TRM_A_LENGTH] = {"length", "m", {1, 0, 0}},
             [TRM_A_TIME] = {"time", "s", {0, 0, 1}},
             [TRM_AN_ANGLE] = {"angle", "deg", {0, 0, 0}},
             [TRM_A_VELOCITY] = {"velocity", "m/s", {1, 0, -1}},
             [TRM_AN_ANGULAR_VELOCITY] = {"angular velocity", "rad/s", {0, 0, -1}},
             [TRM_AN_ACCELERATION] = {"acceleration", "m/s^2", {1, 0, -2}},
             [TRM_AN_INERTIA] = {"moment of inertia", "kg*m^2", {2, 1, 0}},
             [TRM_A_DENSITY] = {"density", "kg/m^3", {-3, 1, 0}}};

/* Of "3 mm" or "-3 mm" and nothing else; 0: it is another text. */
static size_t unit_of(const char *text, size_t *length) {
  trm_token number, end;
  trm_expression_error ignored;
  size_t sign = *text == '-' || *text == '+';
  if (!strchr(text, ' ')) return 0; /* most numbers */
  if (!trm_token_read(text, sign, &number, &ignored) || number.kind != TRM_TOKEN_QUANTITY) return 0;
  size_t behind = number.offset + number.length;
  if (!trm_token_read(text, behind, &end, &ignored) || end.kind != TRM_TOKEN_END) return 0;
  double value;
  size_t unit = number.offset + trm_number_read(text + number.offset, &value);
  unit += strspn(text + unit, " ");
  *length = behind - unit;
  return unit;
}

void trm_read_unit(trm_reader *reader, trm_yaml *node, trm_kind kind) {
  if (node->kind == TRM_YAML_LIST)
    for (int i = 0; i < node->count; i++) trm_read_unit(reader, node->items[i], kind);
  if (node->bad || node->kind != TRM_YAML_TEXT) return;
  size_t length = 0, unit = unit_of(node->text, &length);
  if (unit == 0) return;
  trm_dimension has = trm_unit_dimension(node->text + unit, length), wants = kinds[kind].dimension;
  if (has.length == wants.length && has.mass == wants.mass && has.time == wants.time) return;
  trm_read_error_in(reader, node, unit, "'%.*s' is no unit of %s %s, which is in %s, say",
                    length < 40 ? (int)length : 40, node->text + unit,
                    strchr("aeiou", kinds[kind].name[0]) ? "an" : "a", kinds[kind].name,
                    kinds[kind].unit);
}

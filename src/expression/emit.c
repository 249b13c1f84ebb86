/* Emitting postfix code; what is constant is computed at once. */
#include "expression/parser.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool emit(trm_parser *parser, trm_instruction instruction, int arity, size_t offset) {
  trm_expression *program = parser->program;
  if (program->count == parser->code_capacity) {
    int capacity = parser->code_capacity ? 2 * parser->code_capacity : 16;
    trm_instruction *grown = realloc(program->code, (size_t)capacity * sizeof *grown);
    if (!grown) return trm_parse_no_memory(parser, offset);
    program->code = grown;
    parser->code_capacity = capacity;
  }
  parser->depth += 1 - arity;
  if (parser->depth > TRM_STACK_SIZE)
    return trm_parse_fail(parser, offset, "nested too deeply: more than %d operands are waiting",
                          TRM_STACK_SIZE);
  program->code[program->count++] = instruction;
  return true;
}

bool trm_emit_constant(trm_parser *parser, double value) {
  return emit(parser, (trm_instruction){.op = TRM_OP_CONSTANT, .value = value}, 0,
              parser->token.offset);
}

bool trm_emit_slot(trm_parser *parser, int slot, size_t offset) {
  return emit(parser, (trm_instruction){.op = TRM_OP_SLOT, .index = slot}, 0, offset);
}

trm_mark trm_emit_mark(const trm_parser *parser) {
  return (trm_mark){parser->program->count, parser->depth};
}

void trm_emit_truncate(trm_parser *parser, trm_mark mark) {
  parser->program->count = mark.count;
  parser->depth = mark.depth;
}

bool trm_emit_is_constant(const trm_parser *parser, trm_mark mark, double *value) {
  const trm_expression *program = parser->program;
  if (program->count != mark.count + 1) return false;
  *value = program->code[mark.count].value;
  return program->code[mark.count].op == TRM_OP_CONSTANT;
}

/* In postfix order `arity` constants at the end are exactly the operands. */
static bool ends_in_constants(const trm_expression *program, int arity) {
  if (program->count < arity) return false;
  for (int i = program->count - arity; i < program->count; i++)
    if (program->code[i].op != TRM_OP_CONSTANT) return false;
  return true;
}

static void describe_call(const trm_function *function, const trm_instruction *arguments, int arity,
                          char *text, size_t size) {
  size_t n = (size_t)snprintf(text, size, "%s(", function->name);
  for (int i = 0; i < arity && n < size; i++)
    n += (size_t)snprintf(text + n, size - n, i ? ", %g" : "%g", arguments[i].value);
  if (n < size) snprintf(text + n, size - n, ")");
}

static bool is_table(trm_op op) {
  return op == TRM_OP_TABLE || op == TRM_OP_TABLE2 || op == TRM_OP_BENT_TABLE ||
         op == TRM_OP_BENT_TABLE2;
}

/* Says why an operation between constants has no finite value. */
static bool refuse(trm_parser *parser, trm_instruction at, int arity, double value, size_t offset) {
  const trm_instruction *arguments = parser->program->code + parser->program->count - arity;
  double a = arguments[0].value, n = at.value;
  const char *trouble = isnan(value) ? "is not a real number" : "is not finite";
  const trm_function *function = trm_function_of(at.op);
  char text[200];
  if (is_table(at.op) && trm_table_explain(parser->program->tables[at.index], a,
                                           arguments[arity - 1].value, text, sizeof text))
    return trm_parse_fail(parser, offset, "%s", text);
  if (function) {
    char call[160];
    describe_call(function, arguments, arity, call, sizeof call);
    return trm_parse_fail(parser, offset, "%s %s", call, trouble);
  }
  if (at.op == TRM_OP_FIXED_POWER && a == 0)
    return trm_parse_fail(parser, offset, "division by zero: 0^(%g)", n);
  if (at.op == TRM_OP_FIXED_POWER)
    return trm_parse_fail(parser, offset, "(%g)^(%g) %s", a, n, trouble);
  return trm_parse_fail(parser, offset, "the result is too large for a number");
}

static bool fold(trm_parser *parser, trm_instruction at, int arity, size_t offset) {
  trm_expression *program = parser->program;
  trm_mark operands = {program->count - arity, parser->depth - arity};
  if (!emit(parser, at, arity, offset)) return false;
  double value = trm_program_run(program, operands.count, arity + 1, NULL);
  if (!isfinite(value) && !parser->dead) {
    program->count--; /* back to the operands, for the message */
    return refuse(parser, at, arity, value, offset);
  }
  trm_emit_truncate(parser, operands);
  return trm_emit_constant(parser, value);
}

static bool emit_or_fold(trm_parser *parser, trm_instruction at, int arity, size_t offset) {
  if (ends_in_constants(parser->program, arity)) return fold(parser, at, arity, offset);
  return emit(parser, at, arity, offset);
}

bool trm_emit_operation(trm_parser *parser, trm_op op, int arity, size_t offset) {
  trm_expression *program = parser->program;
  trm_instruction at = {.op = op}, *last = &program->code[program->count - 1];
  bool fixed = last->op == TRM_OP_CONSTANT;
  if (op == TRM_OP_DIVIDE && fixed && last->value == 0 && !parser->dead)
    return trm_parse_fail(parser, offset, "division by zero");
  if (op == TRM_OP_POWER && fixed) {
    at = (trm_instruction){.op = TRM_OP_FIXED_POWER, .value = last->value};
    program->count--;
    parser->depth--;
    arity = 1;
  }
  return emit_or_fold(parser, at, arity, offset);
}

bool trm_emit_table(trm_parser *parser, trm_table *table, size_t offset) {
  trm_expression *program = parser->program;
  if (program->table_count == parser->table_capacity) {
    int capacity = parser->table_capacity ? 2 * parser->table_capacity : 4;
    trm_table **grown = realloc(program->tables, (size_t)capacity * sizeof(trm_table *));
    if (!grown) {
      trm_table_destroy(table);
      return trm_parse_no_memory(parser, offset);
    }
    program->tables = grown;
    parser->table_capacity = capacity;
  }
  program->tables[program->table_count] = table;
  bool smooth = trm_table_is_smooth(table);
  trm_op curve = smooth ? TRM_OP_TABLE : TRM_OP_BENT_TABLE;
  trm_op surface = smooth ? TRM_OP_TABLE2 : TRM_OP_BENT_TABLE2;
  trm_instruction at = {table->rows ? surface : curve, program->table_count++, 0};
  return emit_or_fold(parser, at, table->rows ? 2 : 1, offset);
}

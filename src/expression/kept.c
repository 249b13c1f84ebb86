/* Formulas on a shelf: parsed before their names were looked up. With the values of the names the
 * same code is emitted as by parsing the text. */
#include "base/shelf.h"
#include "expression/parser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1000 }; /* instructions: emitting them recurses, once per level */

typedef struct piece {
  size_t offset, length;
} piece;

typedef struct kept {
  char *text;
  char *folder; /* of its tables, or NULL */
  trm_expression *program;
  int *first;     /* [count] where the operands of each instruction begin */
  int name_count; /* each as often as it occurs */
  piece *names;   /* [name_count] of the text, what the slots are */
} kept;

static void destroy(void *object) {
  kept *k = object;
  if (!k) return;
  trm_expression_destroy(k->program);
  free(k->text);
  free(k->folder);
  free(k->first);
  free(k->names);
  free(k);
}

/* ---- keeping ---- */

typedef struct noting {
  kept *kept;
  const char *text;
  trm_symbol_lookup lookup;
  void *context;
} noting;

/* A number with a unit, which is what it is. */
static bool is_unit(const char *name) {
  return name[0] == '.' || (name[0] >= '0' && name[0] <= '9');
}

static trm_symbol note(void *context, const char *text, size_t length) {
  noting *n = context;
  kept *k = n->kept;
  if (is_unit(text)) return n->lookup(n->context, text, length);
  if ((k->name_count & (k->name_count - 1)) == 0) { /* full at 0, 1, 2, 4, … */
    size_t room = k->name_count ? 2 * (size_t)k->name_count : 1;
    piece *larger = realloc(k->names, room * sizeof *larger);
    if (!larger) return (trm_symbol){.kind = TRM_SYMBOL_REFUSED};
    k->names = larger;
  }
  k->names[k->name_count] = (piece){(size_t)(text - n->text), length};
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = k->name_count++};
}

static bool find_operands(kept *k) {
  const trm_expression *program = k->program;
  k->first = calloc((size_t)program->count + 1, sizeof *k->first);
  for (int i = 0; k->first && i < program->count; i++) {
    k->first[i] = i;
    for (int rest = trm_op_arity(program->code[i].op); rest > 0; rest--)
      k->first[i] = k->first[k->first[i] - 1];
  }
  return k->first != NULL;
}

static char *copy_text(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

/* NULL: not one to be kept. */
static kept *create(trm_shelf *shelf, const char *text, trm_symbol_lookup lookup, void *context,
                    const char *folder) {
  kept *k = calloc(1, sizeof *k);
  if (!k) return NULL;
  noting n = {k, text, lookup, context};
  trm_expression_error ignored;
  k->program = trm_parse_text(shelf, text, note, &n, folder, &ignored);
  bool good = k->program && k->program->count <= LONGEST && find_operands(k);
  good = good && (k->text = copy_text(text));
  if (good && folder) good = (k->folder = copy_text(folder));
  if (good) return k;
  destroy(k);
  return NULL;
}

/* Its table files are there. */
static bool is_of_folder(const kept *k, const char *folder) {
  if (k->program->table_count == 0 || (!k->folder && !folder)) return true;
  return k->folder && folder && strcmp(k->folder, folder) == 0;
}

/* ---- emitting ---- */

typedef struct emission {
  const kept *kept;
  const trm_symbol *symbols; /* [name_count] */
  trm_parser parser;
} emission;

static bool emit(emission *e, int at);

/* Where the last operand before this one ends. */
static int before(const emission *e, int operand) {
  return e->kept->first[operand] - 1;
}

static bool emit_operands(emission *e, int last, int count, double *constants) {
  if (count == 0) return true;
  if (!emit_operands(e, before(e, last), count - 1, constants)) return false;
  trm_mark start = trm_emit_mark(&e->parser);
  double value;
  if (!emit(e, last)) return false;
  constants[count - 1] = trm_emit_is_constant(&e->parser, start, &value) ? value : NAN;
  return true;
}

static bool emit_symbol(emission *e, const trm_symbol *symbol) {
  if (symbol->kind == TRM_SYMBOL_CONSTANT) return trm_emit_constant(&e->parser, symbol->value);
  return trm_emit_slot(&e->parser, symbol->slot, 0);
}

/* if(a, b, c): a constant chooses. */
static bool emit_choice(emission *e, int at) {
  int c = at - 1, b = before(e, c), a = before(e, b);
  trm_mark start = trm_emit_mark(&e->parser);
  double value;
  if (!emit(e, a)) return false;
  if (!trm_emit_is_constant(&e->parser, start, &value))
    return emit(e, b) && emit(e, c) && trm_emit_operation(&e->parser, TRM_OP_IF, 3, 0);
  trm_emit_truncate(&e->parser, start);
  return emit(e, value != 0 ? b : c);
}

/* a and b, a or b: a constant may decide. */
static bool emit_logical(emission *e, int at) {
  trm_op op = e->kept->program->code[at].op;
  int right = at - 1, left = before(e, right);
  bool decisive = op == TRM_OP_OR;
  trm_mark start = trm_emit_mark(&e->parser);
  double value;
  if (!emit(e, left)) return false;
  bool decided = trm_emit_is_constant(&e->parser, start, &value) && (value != 0) == decisive;
  trm_mark middle = trm_emit_mark(&e->parser);
  if (!decided && !emit(e, right)) return false;
  decided =
      decided || (trm_emit_is_constant(&e->parser, middle, &value) && (value != 0) == decisive);
  if (!decided) return trm_emit_operation(&e->parser, op, 2, 0);
  trm_emit_truncate(&e->parser, start);
  return trm_emit_constant(&e->parser, decisive);
}

/* The instruction behind its operands. */
static bool emit(emission *e, int at) {
  enum { MOST_OPERANDS = 5 };
  const trm_instruction *code = &e->kept->program->code[at];
  int arity = trm_op_arity(code->op);
  double v[MOST_OPERANDS];
  switch (code->op) {
  case TRM_OP_CONSTANT: return trm_emit_constant(&e->parser, code->value);
  case TRM_OP_SLOT: return emit_symbol(e, &e->symbols[code->index]);
  case TRM_OP_IF: return emit_choice(e, at);
  case TRM_OP_AND:
  case TRM_OP_OR: return emit_logical(e, at);
  case TRM_OP_FIXED_POWER:
    return emit(e, at - 1) && trm_emit_constant(&e->parser, code->value) &&
           trm_emit_operation(&e->parser, TRM_OP_POWER, 2, 0);
  case TRM_OP_TABLE:
  case TRM_OP_TABLE2:
  case TRM_OP_BENT_TABLE:
  case TRM_OP_BENT_TABLE2:
    return emit_operands(e, at - 1, arity, v) &&
           trm_emit_table(&e->parser, trm_table_share(e->kept->program->tables[code->index]), 0);
  default:
    if (!emit_operands(e, at - 1, arity, v)) return false;
    if (code->op == TRM_OP_STEP && v[1] >= v[3]) return false;
    return trm_emit_operation(&e->parser, code->op, arity, 0);
  }
}

/* Names are asked for in their order, also where a condition makes them idle. How many there are,
 * the first that is none included. */
static int find_symbols(const kept *k, trm_symbol_lookup lookup, void *context, trm_symbol *symbols,
                        bool *good) {
  *good = true;
  int i = 0;
  while (*good && i < k->name_count) {
    trm_symbol s = lookup(context, k->text + k->names[i].offset, k->names[i].length);
    bool constant = s.kind == TRM_SYMBOL_CONSTANT && isfinite(s.value);
    *good = constant || s.kind == TRM_SYMBOL_VARIABLE;
    symbols[i++] = s;
  }
  return i;
}

/* NULL: something is wrong, and parsing the text tells what. */
static trm_expression *make(const kept *k, const trm_symbol *symbols) {
  trm_expression_error ignored;
  trm_expression *program = calloc(1, sizeof *program);
  emission e = {k, symbols, {.text = k->text, .error = &ignored, .program = program}};
  if (program && emit(&e, k->program->count - 1) && trm_parse_complete(&e.parser)) return program;
  trm_expression_destroy(program);
  return NULL;
}

/* ---- parsing again, for the message ---- */

typedef struct answers {
  const trm_symbol *symbols; /* [count] */
  int count, next;
  trm_symbol_lookup lookup;
  void *context;
} answers;

/* What has been asked for is not asked for twice. */
static trm_symbol answer(void *context, const char *name, size_t length) {
  answers *a = context;
  if (!is_unit(name) && a->next < a->count) return a->symbols[a->next++];
  return a->lookup(a->context, name, length);
}

static trm_expression *find(const kept *k, trm_shelf *shelf, const char *text,
                            trm_symbol_lookup lookup, void *context, const char *folder,
                            trm_expression_error *error) {
  enum { FEW = 16 };
  trm_symbol few[FEW], *symbols = few;
  if (k->name_count > FEW) symbols = malloc((size_t)k->name_count * sizeof *symbols);
  if (!symbols) return trm_parse_text(shelf, text, lookup, context, folder, error);
  bool good;
  int count = find_symbols(k, lookup, context, symbols, &good);
  trm_expression *made = good ? make(k, symbols) : NULL;
  answers a = {symbols, count, 0, lookup, context};
  if (!made) made = trm_parse_text(shelf, text, answer, &a, folder, error);
  if (symbols != few) free(symbols);
  return made;
}

trm_expression *trm_expression_take(trm_shelf *shelf, const char *text, trm_symbol_lookup lookup,
                                    void *context, const char *folder,
                                    trm_expression_error *error) {
  const kept *k = trm_shelf_get(shelf, TRM_SHELF_FORMULA, text);
  if (!k && trm_shelf_is_open(shelf, TRM_SHELF_FORMULA)) {
    kept *created = create(shelf, text, lookup, context, folder);
    if (created && trm_shelf_put(shelf, TRM_SHELF_FORMULA, text, created, destroy)) k = created;
  }
  if (k && is_of_folder(k, folder)) return find(k, shelf, text, lookup, context, folder, error);
  return trm_parse_text(shelf, text, lookup, context, folder, error);
}

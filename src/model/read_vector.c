/* Vectors: a parameter `P: [1, 2, 3]` is three numbers, P.x, P.y and P.z, and a whole. A formula of
 * whole vectors is linear in them and vanishes with them; its component is its value at theirs. */
#include "model/read_repeat.h"

#include "expression/token.h"
#include "math/vector.h"

#include <stdio.h>
#include <string.h>

enum { MOST_VECTORS = 32, MOST_ARGUMENTS = 3, DEEPEST = 16 };

const char *trm_vector_component(trm_arena *arena, const char *name, int k) {
  const char suffix[] = {'.', (char)('x' + k), '\0'};
  size_t length = strlen(name);
  char *text = trm_arena_alloc(arena, length + sizeof suffix, 1);
  if (!text) return NULL;
  memcpy(text, name, length);
  memcpy(text + length, suffix, sizeof suffix);
  return text;
}

int trm_vector_dimension(const trm_reader *reader, const char *name, size_t length) {
  int local = trm_repeat_dimension(reader, name, length);
  if (local > 0) return local;
  for (const trm_reader *r = reader; r; r = r->outer) {
    if (trm_map_get(r->parameter_index, name, length) >= 0) return 0;
    int dimension = r->vector_index ? trm_map_get(r->vector_index, name, length) : -1;
    if (dimension > 0) return dimension;
  }
  return 0;
}

/* One formula of vectors; slot 0 is a parameter with an error, the others are the vectors. */
typedef struct scope {
  trm_reader *reader;
  int depth;
  int count, dimension;
  double vectors[MOST_VECTORS][3];
  char reason[256];
} scope;

static trm_symbol refuse(scope *s, const char *message) {
  if (message != s->reason) snprintf(s->reason, sizeof s->reason, "%s", message);
  return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = s->reason};
}

static trm_symbol add_vector(scope *s, int dimension, const double v[3]) {
  if (s->count == MOST_VECTORS) return refuse(s, "too many vectors in a formula");
  if (s->dimension > 0 && s->dimension != dimension) {
    snprintf(s->reason, sizeof s->reason, "a vector of %d components meets one of %d", dimension,
             s->dimension);
    return refuse(s, s->reason);
  }
  s->dimension = dimension;
  for (int k = 0; k < 3; k++) s->vectors[s->count][k] = k < dimension ? v[k] : 0;
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = ++s->count};
}

static trm_symbol find_vector(scope *s, const char *name, size_t length, int dimension) {
  double v[3] = {0, 0, 0};
  char text[128];
  for (int k = 0; k < dimension; k++) {
    int n = snprintf(text, sizeof text, "%.*s.%c", length < 100 ? (int)length : 100, name, 'x' + k);
    trm_symbol symbol = trm_read_lookup(s->reader, text, (size_t)n);
    if (symbol.kind != TRM_SYMBOL_CONSTANT && symbol.kind != TRM_SYMBOL_VARIABLE) return symbol;
    v[k] = symbol.kind == TRM_SYMBOL_CONSTANT ? symbol.value : 1;
  }
  return add_vector(s, dimension, v);
}

typedef struct argument {
  const char *text;
  size_t offset;
  int dimension;
  double v[3];
} argument;

static int evaluate(trm_reader *reader, const char *text, int depth, double v[3],
                    trm_expression_error *error);

/* Cuts "dot(a, b)" at its commas; −1: too many or no memory. */
static int split(trm_reader *reader, const char *text, size_t length, argument *arguments) {
  int count = 0, open = 0;
  size_t from = strcspn(text, "(") + 1;
  for (size_t i = from; i < length; i++) {
    bool last = i + 1 == length;
    if (last || (text[i] == ',' && open == 0)) {
      if (count == MOST_ARGUMENTS) return -1;
      const char *piece = trm_arena_substring(reader->document.arena, text + from, i - from);
      if (!piece) return -1;
      arguments[count++] = (argument){.text = piece, .offset = from};
      from = i + 1;
    }
    open += (text[i] == '(') - (text[i] == ')');
  }
  return count;
}

static void turn(const double v[3], const double axis[3], double angle, double out[3]) {
  double n[3], length = trm_norm(3, axis), c = cos(angle), s = sin(angle);
  for (int k = 0; k < 3; k++) n[k] = axis[k] / length;
  double along = trm_dot(3, n, v);
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = c * v[k] + s * (n[i] * v[j] - n[j] * v[i]) + (1 - c) * along * n[k];
  }
}

static const char *const usage[] = {
    "norm(a) of a vector", "dot(a, b) of two vectors", "cross(a, b) of two vectors",
    "rotate(a, angle) in the plane, rotate(a, axis, angle) in space"};
enum { NORM, DOT, CROSS, ROTATE, CALLS };
static const char *const calls[CALLS] = {"norm", "dot", "cross", "rotate"};

/* Dimension of the result in v: 1 for a number, 0 where the arguments do not fit. */
static int apply(int call, const argument *a, int count, double v[3]) {
  int dim = a[0].dimension;
  bool pair = count == 2 && dim > 1 && a[1].dimension == dim;
  static const double z[3] = {0, 0, 1};
  if (call == NORM && count == 1 && dim > 1) return v[0] = trm_norm(dim, a[0].v), 1;
  if (call == DOT && pair) return v[0] = trm_dot(dim, a[0].v, a[1].v), 1;
  if (call == CROSS && pair) {
    const double *p = a[0].v, *q = a[1].v;
    if (dim == 2) return v[0] = p[0] * q[1] - p[1] * q[0], 1;
    for (int k = 0; k < 3; k++)
      v[k] = p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3];
    return 3;
  }
  if (call == ROTATE && count == 2 && dim == 2 && a[1].dimension == 1)
    return turn(a[0].v, z, a[1].v[0], v), 2;
  if (call == ROTATE && count == 3 && dim == 3 && a[1].dimension == 3 && a[2].dimension == 1)
    return turn(a[0].v, a[1].v, a[2].v[0], v), 3;
  return 0;
}

/* Dimension of the result; 0: refused, `error` says why and where. */
static int evaluate_call(trm_reader *reader, const char *text, size_t length, int depth,
                         double v[3], trm_expression_error *error) {
  argument arguments[MOST_ARGUMENTS];
  int call = 0, count = split(reader, text, length, arguments);
  while (call < CALLS && strncmp(text, calls[call], strlen(calls[call])) != 0) call++;
  *error = (trm_expression_error){.offset = 0};
  if (call == CALLS) return 0;
  for (int i = 0; i < count; i++) {
    argument *a = &arguments[i];
    memset(a->v, 0, sizeof a->v);
    a->dimension = evaluate(reader, a->text, depth + 1, a->v, error);
    if (a->dimension > 0) continue;
    error->offset += a->offset;
    return 0;
  }
  int dimension = count > 0 ? apply(call, arguments, count, v) : 0;
  if (dimension == 0) snprintf(error->message, sizeof error->message, "it is %s", usage[call]);
  return dimension;
}

static trm_symbol look_up(void *context, const char *name, size_t length) {
  scope *s = context;
  if (length > 0 && name[length - 1] == ')') {
    trm_expression_error error;
    double v[3];
    int dimension = evaluate_call(s->reader, name, length, s->depth, v, &error);
    if (dimension == 1) return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = v[0]};
    if (dimension > 1) return add_vector(s, dimension, v);
    if (!error.message[0]) return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN};
    trm_symbol symbol = refuse(s, error.message);
    symbol.slot = (int)error.offset;
    return symbol;
  }
  int dimension = trm_vector_dimension(s->reader, name, length);
  return dimension > 0 ? find_vector(s, name, length, dimension)
                       : trm_read_lookup(s->reader, name, length);
}

/* What is wrong with a formula of vectors, or NULL. */
static const char *wrong(const trm_expression *expression, const scope *s, const double *nothing) {
  if (trm_expression_degree(expression, 1, s->count) > 1)
    return "this is no sum of vectors: a product of two is dot(a, b) or cross(a, b)";
  if (trm_expression_value(expression, nothing) != 0) return "a number is added to a vector";
  return NULL;
}

/* Of a number 1; 0: `error` is filled in. */
static int evaluate(trm_reader *reader, const char *text, int depth, double v[3],
                    trm_expression_error *error) {
  scope *s = TRM_NEW(reader->document.arena, scope, 1);
  double slots[MOST_VECTORS + 1] = {1};
  *error = (trm_expression_error){.message = "nested too deeply"};
  if (!s) reader->no_memory = true;
  if (!s || depth > DEEPEST) return 0;
  *s = (scope){.reader = reader, .depth = depth};
  trm_expression *expression =
      trm_expression_take(reader->shelf, text, look_up, s, reader->folder, error);
  if (!expression) return 0;
  bool vector = trm_expression_degree(expression, 1, MOST_VECTORS) > 0;
  const char *trouble = vector ? wrong(expression, s, slots) : NULL;
  int dimension = vector ? s->dimension : 1;
  for (int k = 0; k < dimension; k++) {
    for (int i = 0; i < s->count; i++) slots[i + 1] = s->vectors[i][k];
    v[k] = trm_expression_value(expression, slots);
    if (!isfinite(v[k])) trouble = "the value is not finite";
  }
  trm_expression_destroy(expression);
  if (!trouble || reader->uses_bad) return dimension;
  *error = (trm_expression_error){.offset = 0};
  snprintf(error->message, sizeof error->message, "%s", trouble);
  return 0;
}

int trm_vector_evaluate(trm_reader *reader, const char *text, double v[3],
                        trm_expression_error *error) {
  reader->uses_bad = false;
  return evaluate(reader, text, 0, v, error);
}

trm_symbol trm_vector_symbol(trm_reader *reader, const char *name, size_t length) {
  scope s = {.reader = reader};
  trm_symbol symbol = look_up(&s, name, length);
  if (symbol.kind == TRM_SYMBOL_CONSTANT || symbol.kind == TRM_SYMBOL_UNKNOWN) return symbol;
  const char *reason = symbol.reason;
  if (reason && reason != s.reason) return symbol; /* the reader's own */
  char text[200];
  if (symbol.kind == TRM_SYMBOL_VARIABLE) {
    snprintf(text, sizeof text,
             "a number is needed here, and this is a vector: its components "
             "are %.*s.x and so on",
             length < 60 ? (int)length : 60, name);
    reason = name[length - 1] == ')' ? "a number is needed here, and this is a vector" : text;
    symbol.slot = 0;
  }
  snprintf(reader->reason, sizeof reader->reason, "%s", reason);
  return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .slot = symbol.slot, .reason = reader->reason};
}

/* Only whether a name is a vector counts: values need not be known. */
static trm_symbol look_for_kind(void *context, const char *name, size_t length) {
  const trm_reader *reader = context;
  bool call = length > 0 && name[length - 1] == ')';
  int dimension =
      call ? trm_vector_named(reader, name, length) : trm_vector_dimension(reader, name, length);
  bool number = strncmp(name, "dot", 3) == 0 || strncmp(name, "norm", 4) == 0 ||
                (strncmp(name, "cross", 5) == 0 && dimension == 2);
  bool vector = dimension > 0 && !(call && number);
  return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = vector ? 1 : 0};
}

int trm_vector_named(const trm_reader *reader, const char *text, size_t length) {
  trm_expression_error ignored;
  trm_token token;
  for (size_t next = 0;
       next < length && trm_token_read(text, next, &token, &ignored) && token.kind != TRM_TOKEN_END;
       next = token.offset + token.length + (token.kind == TRM_TOKEN_STRING)) {
    int dimension = token.kind == TRM_TOKEN_NAME && token.offset < length
                        ? trm_vector_dimension(reader, text + token.offset, token.length)
                        : 0;
    if (dimension > 0) return dimension;
  }
  return 0;
}

int trm_vector_of_text(trm_reader *reader, const char *text) {
  int dimension = trm_vector_named(reader, text, strlen(text));
  if (dimension == 0) return 0;
  trm_expression_error ignored;
  trm_expression *expression =
      trm_expression_take(reader->shelf, text, look_for_kind, reader, reader->folder, &ignored);
  bool vector = expression && trm_expression_degree(expression, 1, 1) > 0;
  trm_expression_destroy(expression);
  return vector ? dimension : 0;
}

int trm_vector_of_node(trm_reader *reader, const trm_yaml *node) {
  if (node->kind == TRM_YAML_TEXT) return trm_vector_of_text(reader, node->text);
  return node->kind == TRM_YAML_LIST && (node->count == 2 || node->count == 3) ? node->count : 0;
}

/* The state of parsing one formula, shared by its grammar, its calls and the code it emits. */
#ifndef TRM_EXPRESSION_PARSER_H
#define TRM_EXPRESSION_PARSER_H

#include "expression/program.h"
#include "expression/token.h"

/* Parsing recurses once per level; deeper formulas are refused. */
enum { TRM_NESTING_LIMIT = 200 };

typedef struct trm_parser {
  const char *text;
  trm_token token; /* the next one, not yet used */
  int before;      /* the kind of the one before it */
  trm_symbol_lookup lookup;
  void *context;
  const char *folder;
  trm_shelf *shelf; /* of table files, or NULL */
  trm_expression_error *error;
  trm_expression *program;
  int code_capacity, table_capacity;
  int depth;   /* operands on the stack at this point of the program */
  int nesting; /* open parentheses, calls and prefix operators */
  int dead;    /* inside a branch a constant condition rules out: no arithmetic errors there */
  struct trm_series *series; /* a formula over a run, or NULL */
  bool over_run;             /* of it: inside an argument that is taken row by row */
} trm_parser;

/* A point of the program to fall back to. */
typedef struct trm_mark {
  int count, depth;
} trm_mark;

/* All functions return false with the error recorded. */
__attribute__((format(printf, 3, 4))) bool trm_parse_fail(trm_parser *parser, size_t offset,
                                                          const char *format, ...);
bool trm_parse_no_memory(trm_parser *parser, size_t offset);
bool trm_parse_advance(trm_parser *parser);
bool trm_parse_expect(trm_parser *parser, int kind, const char *what);
bool trm_parse_expression(trm_parser *parser);
/* What the finished program uses. */
bool trm_parse_complete(trm_parser *parser);
/* As trm_expression_parse, with table files from the shelf, or onto it. */
trm_expression *trm_parse_text(trm_shelf *shelf, const char *text, trm_symbol_lookup lookup,
                               void *context, const char *folder, trm_expression_error *error);
/* The whole text, in the plain locale. */
bool trm_parse_all(trm_parser *parser);
/* The name is used up, the parenthesis is next. */
bool trm_parse_call(trm_parser *parser, trm_token name);
/* call_table.c: behind the parenthesis. */
bool trm_parse_table(trm_parser *parser, trm_token name);
bool trm_parse_surface(trm_parser *parser, trm_token name);

/* `offset` is where an arithmetic error between constants is reported. */
bool trm_emit_constant(trm_parser *parser, double value);
bool trm_emit_slot(trm_parser *parser, int slot, size_t offset);
bool trm_emit_operation(trm_parser *parser, trm_op op, int arity, size_t offset);
bool trm_emit_table(trm_parser *parser, trm_table *table, size_t offset); /* takes the table */

trm_mark trm_emit_mark(const trm_parser *parser);
void trm_emit_truncate(trm_parser *parser, trm_mark mark);
/* The value of what was emitted since the mark, where it is constant. */
bool trm_emit_is_constant(const trm_parser *parser, trm_mark mark, double *value);

/* series.c: what only formulas over a run have. */
bool trm_series_has(const trm_parser *parser, trm_token name);
bool trm_series_call(trm_parser *parser, trm_token name);
bool trm_series_symbol(trm_parser *parser, trm_token name, const trm_symbol *symbol);
const char *trm_series_nearest(const char *word); /* of its functions, or NULL */

/* How a token is quoted in a message. */
typedef struct trm_quote {
  char text[64];
} trm_quote;
trm_quote trm_quote_token(const trm_parser *parser, trm_token token);

#endif

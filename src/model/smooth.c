/* smooth(x, tau): τ²y″ + 2τy′ + y = x. Its value and its rate are states of the model. */
#include <math.h>
#include <stdio.h>

#include "model/build.h"

/* The two arguments: the comma between them is in no parenthesis and no string. */
typedef struct arguments {
  const char *x, *tau;
  size_t x_length, tau_length;
} arguments;

static bool split(const char *text, size_t length, arguments *a) {
  int depth = 0, commas = 0;
  char quote = 0;
  const char *begin = memchr(text, '(', length), *end = text + length - 1, *comma = NULL;
  for (const char *c = begin + 1; c < end; c++) {
    if (quote) {
      if (*c == quote) quote = 0;
    } else if (*c == '"' || (*c == '\'' && (c[-1] == '(' || c[-1] == ',' || c[-1] == ' '))) {
      quote = *c;
    } else if (*c == ',' && depth == 0) {
      commas++;
      comma = c;
    } else {
      depth += (*c == '(') - (*c == ')');
    }
  }
  if (commas != 1) return false;
  const char *tau = comma + 1 + strspn(comma + 1, " ");
  *a = (arguments){begin + 1, tau, (size_t)(comma - begin - 1), (size_t)(end - tau)};
  return true;
}

static trm_symbol refuse(size_t offset, const char *reason) {
  return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .slot = (int)offset, .reason = reason};
}

static const char *print(trm_draft *draft, const char *format, const arguments *a, double tau) {
  size_t size = a->x_length + 200;
  char *text = trm_arena_alloc(draft->model->arena, size, 1);
  if (text) snprintf(text, size, format, (int)a->x_length, a->x, tau, tau);
  return text;
}

/* NaN: the reason is there. */
static double time_constant(const arguments *a, size_t at, trm_draft *draft, trm_smooth_parse parse,
                            void *context, trm_symbol *bad, char *reason, size_t size) {
  trm_expression_error error = {0};
  const char *text = trm_arena_substring(draft->arena, a->tau, a->tau_length);
  trm_expression *formula = text ? parse(context, text, 0, &error) : NULL;
  double tau = NAN;
  const double nothing = 0;
  if (!formula)
    snprintf(reason, size, "%s", error.message);
  else if (!trm_expression_is_constant(formula))
    snprintf(reason, size, "smooth(x, tau): tau is a number or a formula of parameters");
  else if (!(trm_expression_value(formula, &nothing) > 0))
    snprintf(reason, size, "smooth(x, tau): tau is %g, it must be positive",
             trm_expression_value(formula, &nothing));
  else
    tau = trm_expression_value(formula, &nothing);
  trm_expression_destroy(formula);
  if (isnan(tau)) *bad = refuse(at + error.offset, reason);
  return tau;
}

/* Value and rate, and what they are made of. */
static bool add(trm_draft *draft, const char *name, const arguments *a, double tau,
                trm_smooth_parse parse, void *context, trm_expression_error *error) {
  trm_model *model = draft->model;
  size_t size = strlen(name) + sizeof "rate of ";
  char *rate_name = trm_arena_alloc(model->arena, size, 1);
  if (rate_name) snprintf(rate_name, size, "rate of %s", name);
  const char *rate =
      print(draft, "((%.*s)-2*(%.17g)*smooth.own.rate-smooth.own.value)/(%.17g)^2", a, tau);
  const char *start = print(draft, " (%.*s)", a, tau);
  int y = trm_draft_add_state(draft, name);
  int dy = rate_name ? trm_draft_add_state(draft, rate_name) : -1;
  if (y < 0 || dy < 0 || !rate || !start) {
    draft->no_memory = true;
    return false;
  }
  model->signals[y].smooth = dy;
  trm_expression *formulas[3] = {parse(context, "smooth.own.rate", 1 + y, error), NULL, NULL};
  if (formulas[0]) formulas[1] = parse(context, rate, 1 + y, error);
  if (formulas[1]) formulas[2] = parse(context, start, 1 + y, error);
  model->signals[y].value.formula = formulas[0];
  model->signals[dy].value.formula = formulas[1];
  model->signals[y].initial.formula = formulas[2];
  return formulas[2];
}

trm_symbol trm_draft_smooth(trm_draft *draft, const char *text, size_t length,
                            trm_smooth_parse parse, void *context, char *reason, size_t size) {
  arguments a;
  int known = trm_map_get(draft->inputs, text, length);
  trm_symbol bad = refuse(0, reason);
  trm_expression_error error = {0};
  if (known >= 0) return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 1 + known};
  if (!split(text, length, &a)) {
    snprintf(reason, size, "function 'smooth' takes 2 arguments, smooth(x, tau)");
    return bad;
  }
  double tau = time_constant(&a, (size_t)(a.tau - text), draft, parse, context, &bad, reason, size);
  if (isnan(tau)) return bad;
  const char *name = trm_arena_substring(draft->model->arena, text, length);
  if (name && add(draft, name, &a, tau, parse, context, &error))
    return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE,
                        .slot = 1 + trm_map_get(draft->inputs, text, length)};
  size_t before = error.offset > 2 ? error.offset - 2 : 0; /* behind "((" or " (" */
  snprintf(reason, size, "%s", error.message);
  return refuse((size_t)(a.x - text) + before, reason);
}

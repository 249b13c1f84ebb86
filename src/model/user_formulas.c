/* The formulas of a system of the user's own: parsed, and tried at the start. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/cholesky.h"
#include "model/build.h"

typedef struct scope {
  trm_draft *draft;
  const char *what; /* "the mass matrix" */
  bool velocities;  /* may be used */
  const char **names;
  int name_count; /* coordinates, then parameters: for suggestions */
  char reason[256];
} scope;

typedef struct formula {
  const trm_value *value;
  trm_quantity *quantity;
  char path[320];    /* "system/forces/x" */
  char subject[100]; /* "force on 'x'" */
} formula;

static trm_symbol refuse(scope *s) {
  return (trm_symbol){.kind = TRM_SYMBOL_REFUSED, .reason = s->reason};
}

static trm_symbol unknown(scope *s, const char *name, size_t length) {
  char hint[160];
  trm_suggest(s->draft->model, name, length, s->names, s->name_count, hint, sizeof hint);
  snprintf(s->reason, sizeof s->reason, "%s", hint[0] ? hint + 2 : ""); /* without the comma */
  return (trm_symbol){.kind = TRM_SYMBOL_UNKNOWN, .reason = hint[0] ? s->reason : NULL};
}

static int find_coordinate(const trm_user *user, const char *name, size_t length) {
  for (int i = 0; i < user->n; i++)
    if (trm_text_is(user->names[i], name, length)) return i;
  return -1;
}

static trm_symbol look_up(void *context, const char *name, size_t length) {
  scope *s = context;
  const trm_model *model = s->draft->model;
  const trm_user *user = model->user;
  int parameter = trm_map_get(s->draft->parameters, name, length);
  if (parameter >= 0)
    return (trm_symbol){.kind = TRM_SYMBOL_CONSTANT, .value = model->parameters[parameter].value};
  if (length == 1 && name[0] == 't') return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 0};
  size_t plain = length;
  while (plain > 0 && name[plain - 1] == '\'') plain--;
  int primes = (int)(length - plain), i = find_coordinate(user, name, plain);
  if (i < 0) return unknown(s, name, length);
  if (primes > 1)
    snprintf(s->reason, sizeof s->reason,
             "'%.*s' is an acceleration; it would be an algebraic loop here", (int)length, name);
  else if (primes == 1 && !s->velocities)
    snprintf(s->reason, sizeof s->reason, "'%.*s' is a velocity; %s may use t and coordinates only",
             (int)length, name, s->what);
  else
    return (trm_symbol){.kind = TRM_SYMBOL_VARIABLE, .slot = 1 + i + (primes ? user->n : 0)};
  return refuse(s);
}

static void report(trm_draft *draft, const formula *f, size_t offset, const char *message) {
  draft->errors++;
  trm_report_path(draft->diagnostics, TRM_ERROR, f->path, offset, "%s: %s", f->subject, message);
}

static bool parse(scope *s, const formula *f) {
  trm_expression_error error = {0};
  if (!f->value->text) {
    f->quantity->number = f->value->number;
    return true;
  }
  trm_draft *draft = s->draft;
  trm_expression *parsed =
      trm_expression_take(draft->model->shelf, f->value->text, look_up, s, draft->folder, &error);
  if (!parsed) {
    report(s->draft, f, error.offset, error.message);
    return false;
  }
  if (!trm_expression_is_constant(parsed)) {
    f->quantity->formula = parsed;
    return true;
  }
  const double nothing = 0;
  f->quantity->number = trm_expression_value(parsed, &nothing);
  trm_expression_destroy(parsed);
  if (isfinite(f->quantity->number)) return true;
  report(s->draft, f, 0, "it is NaN or infinite");
  return false;
}

/* t = 0 and the state as written */
static void fill_slots(const trm_user *user, double *slots) {
  slots[0] = 0;
  memcpy(slots + 1, user->q, (size_t)user->n * sizeof *slots);
  memcpy(slots + 1 + user->n, user->v, (size_t)user->n * sizeof *slots);
}

static bool try_value(trm_draft *draft, const formula *f, const double *slots) {
  if (isfinite(trm_quantity_value(f->quantity, slots))) return true;
  report(draft, f, 0,
         "its value is not a finite number at the start: a division by zero, a root of a negative "
         "number, a table outside its range");
  return false;
}

/* A constraint acts through its second derivative: a kink has none. */
static void try_derivative(trm_draft *draft, const formula *f, const double *slots,
                           double *gradient) {
  const trm_expression *e = f->quantity->formula;
  char message[200];
  const char *kink = e ? trm_expression_kink(e) : NULL;
  if (kink) {
    snprintf(message, sizeof message,
             "it cannot be differentiated twice: %s has a jump or a kink, which a constraint "
             "must not have",
             kink);
    report(draft, f, 0, message);
    return;
  }
  if (!e || trm_expression_degree(e, 1, 2 * draft->model->user->n) == 0) {
    report(draft, f, 0, "a constraint must depend on the coordinates");
    return;
  }
  double sum = trm_expression_gradient(e, slots, gradient);
  for (int k = 0; k < trm_expression_slot_count(e); k++) sum += 0 * gradient[k];
  if (!isfinite(sum)) report(draft, f, 0, "it has no finite derivative at the start");
}

static void name_formula(formula *f, const char *path, const char *key, const char *subject) {
  snprintf(f->path, sizeof f->path, "system/%s%s%.280s", path, key ? "/" : "", key ? key : "");
  snprintf(f->subject, sizeof f->subject, "%s", subject);
}

static trm_quantity *quantities(trm_draft *draft, int count) {
  trm_quantity *list = TRM_NEW(draft->model->arena, trm_quantity, count + 1);
  if (!list) draft->no_memory = true;
  return list;
}

static void add_mass(scope *s, const double *slots) {
  trm_draft *draft = s->draft;
  trm_user *user = draft->model->user;
  int n = user->n, count = user->mass_diagonal ? n : n * n;
  user->mass = quantities(draft, count);
  user->mass_constant = true;
  s->what = "the mass matrix";
  for (int k = 0; user->mass && k < count; k++) {
    formula f = {&draft->user->mass[k], &user->mass[k], "", ""};
    char key[40], subject[100];
    snprintf(key, sizeof key, "%d/%d", k / n, k % n);
    if (user->mass_diagonal)
      snprintf(subject, sizeof subject, "mass of '%.60s'", user->names[k]);
    else
      snprintf(subject, sizeof subject, "mass, row %d, column %d", k / n + 1, k % n + 1);
    name_formula(&f, "mass", user->mass_diagonal ? user->names[k] : key, subject);
    if (parse(s, &f)) try_value(draft, &f, slots);
    user->mass_constant = user->mass_constant && !user->mass[k].formula;
  }
}

static void add_forces(scope *s) {
  trm_draft *draft = s->draft;
  trm_user *user = draft->model->user;
  user->force = quantities(draft, user->n);
  s->what = "a force";
  for (int i = 0; user->force && i < user->n; i++) {
    formula f = {&draft->user->force[i], &user->force[i], "", ""};
    char subject[100];
    snprintf(subject, sizeof subject, "force on '%.60s'", user->names[i]);
    name_formula(&f, "forces", user->names[i], subject);
    if (f.value->given) parse(s, &f);
  }
}

static void add_constraints(scope *s, bool velocity, const double *slots, double *gradient) {
  trm_draft *draft = s->draft;
  trm_user *user = draft->model->user;
  int count = velocity ? user->p : user->m;
  trm_quantity *list = quantities(draft, count);
  const trm_value *values = velocity ? draft->user->velocity : draft->user->position;
  const char *kind = velocity ? "velocity constraint" : "constraint";
  if (velocity)
    user->velocity = list, user->velocity_linear = true;
  else
    user->position = list;
  s->what = "a constraint";
  for (int i = 0; list && i < count; i++) {
    formula f = {&values[i], &list[i], "", ""};
    char key[16], subject[100];
    snprintf(key, sizeof key, "%d", i);
    snprintf(subject, sizeof subject, "%s %d", kind, i + 1);
    name_formula(&f, velocity ? "velocity-constraints" : "constraints", key, subject);
    if (!parse(s, &f)) continue;
    if (velocity || try_value(draft, &f, slots)) try_derivative(draft, &f, slots, gradient);
    const trm_expression *e = list[i].formula;
    int degree = velocity && e ? trm_expression_degree(e, 1 + user->n, user->n) : 1;
    if (degree == 0)
      report(draft, &f, 0,
             "it does not depend on a velocity; such a constraint belongs under "
             "'constraints'");
    if (velocity) user->velocity_linear = user->velocity_linear && degree <= 1;
  }
}

static void add_energy(scope *s) {
  trm_user *user = s->draft->model->user;
  formula f = {&s->draft->user->energy, &user->energy, "", ""};
  name_formula(&f, "energy", NULL, "energy");
  s->what = "the energy";
  user->has_energy = f.value->given;
  if (f.value->given) parse(s, &f);
}

/* Names the first entry that is wrong. */
static void check_mass(trm_draft *draft, const double *slots) {
  const trm_user *user = draft->model->user;
  int n = user->n;
  double *M = TRM_NEW(draft->arena, double, (size_t)n *(size_t)n);
  if (!M) draft->no_memory = true;
  for (int k = 0; M && k < (user->mass_diagonal ? n : n * n); k++)
    M[user->mass_diagonal ? k * n + k : k] = trm_quantity_value(&user->mass[k], slots);
  for (int i = 0; M && i < n; i++)
    for (int j = 0; j < i; j++) {
      double a = M[i * n + j], b = M[j * n + i];
      char path[60];
      if (fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b))) continue;
      snprintf(path, sizeof path, "system/mass/%d/%d", i, j);
      trm_draft_error_at(draft, path,
                         "the mass matrix must be symmetric: row %d, column %d is %g at the start, "
                         "row %d, column %d is %g",
                         i + 1, j + 1, a, j + 1, i + 1, b);
      return;
    }
  int bad = M ? trm_cholesky_bad_pivot(n, M, M) : -1;
  char path[320] = "system/mass";
  if (bad >= 0 && user->mass_diagonal)
    snprintf(path, sizeof path, "system/mass/%.280s", user->names[bad]);
  if (bad >= 0)
    trm_draft_error_at(draft, path,
                       "the mass matrix must be positive definite: at the start it is not, as "
                       "coordinate '%.60s' shows",
                       user->names[bad]);
}

static bool list_names(scope *s) {
  const trm_model *model = s->draft->model;
  int n = model->user->n, count = n + model->parameter_count;
  s->names = TRM_NEW(s->draft->arena, const char *, count);
  for (int i = 0; s->names && i < count; i++)
    s->names[i] = i < n ? model->user->names[i] : model->parameters[i - n].name;
  s->name_count = count;
  return s->names != NULL;
}

void trm_draft_user_formulas(trm_draft *draft) {
  const trm_user *user = draft->model->user;
  scope s = {.draft = draft};
  double *slots = TRM_NEW(draft->arena, double, 1 + 2 * user->n);
  double *gradient = TRM_NEW(draft->arena, double, 1 + 2 * user->n);
  if (!slots || !gradient || !list_names(&s)) {
    draft->no_memory = true;
    return;
  }
  fill_slots(user, slots);
  int errors = draft->errors;
  add_mass(&s, slots);
  if (draft->errors == errors && !draft->no_memory) check_mass(draft, slots);
  add_constraints(&s, false, slots, gradient);
  s.velocities = true;
  add_forces(&s);
  add_constraints(&s, true, slots, gradient);
  add_energy(&s);
}

/* A system of the user's own: its definition copied, checked and resolved. */
#include "model/user.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/text.h"
#include "model/build.h"

enum { MOST = 20000, LONGEST_NAME = 200 }; /* coordinates or constraints: matrices are dense */

void trm_system_init(trm_system_def *defaults, size_t size) {
  const trm_system_def none = {0};
  trm_sized_give(defaults, size, &none, sizeof none);
}

bool trm_model_is_system(const trm_model *model) {
  return model->user || (model->draft && model->draft->user);
}

static bool is_count(int count) {
  return count >= 0 && count <= MOST;
}

static const double *keep_numbers(trm_arena *arena, const double *from, int count, bool *good) {
  double *to = from ? TRM_NEW(arena, double, count) : NULL;
  if (to) memcpy(to, from, (size_t)count * sizeof *to);
  if (from && !to) *good = false;
  return to;
}

static const char *const *keep_names(trm_arena *arena, const char *const *from, int count,
                                     bool *good) {
  const char **to = from ? TRM_NEW(arena, const char *, count) : NULL;
  for (int i = 0; to && i < count; i++)
    if (!(to[i] = trm_arena_string(arena, from[i] ? from[i] : ""))) *good = false;
  if (from && !to) *good = false;
  return to;
}

trm_model *trm_model_create_system(const trm_system_def *definition) {
  trm_model *model = trm_model_create(TRM_PLANAR);
  if (!model) return NULL;
  trm_user_def *user = model->draft->user = TRM_NEW(model->arena, trm_user_def, 1);
  bool good = user != NULL;
  if (good && definition) {
    trm_system_def *def = &user->def;
    if (!trm_sized_take(def, sizeof *def, definition)) model->draft->no_size = true;
    int n = is_count(def->coordinates) ? def->coordinates : 0;
    def->q = keep_numbers(model->arena, def->q, n, &good);
    def->v = keep_numbers(model->arena, def->v, n, &good);
    def->names = keep_names(model->arena, def->names, n, &good);
  }
  if (good) return model;
  trm_model_destroy(model);
  return NULL;
}

void trm_user_destroy(trm_user *user) {
  if (!user) return;
  int entries = user->mass_diagonal ? user->n : user->n * user->n;
  for (int i = 0; user->mass && i < entries; i++) trm_expression_destroy(user->mass[i].formula);
  for (int i = 0; user->force && i < user->n; i++) trm_expression_destroy(user->force[i].formula);
  for (int i = 0; user->position && i < user->m; i++)
    trm_expression_destroy(user->position[i].formula);
  for (int i = 0; user->velocity && i < user->p; i++)
    trm_expression_destroy(user->velocity[i].formula);
  trm_expression_destroy(user->energy.formula);
}

static bool check_counts(trm_draft *draft, const trm_system_def *def) {
  const struct {
    const char *name;
    int count, least;
  } counts[] = {{"coordinates", def->coordinates, 1},
                {"position_constraints", def->position_constraints, 0},
                {"velocity_constraints", def->velocity_constraints, 0}};
  bool good = true;
  for (int i = 0; i < 3; i++) {
    if (counts[i].count >= counts[i].least && counts[i].count <= MOST) continue;
    trm_draft_error_at(draft, "system", "%s is %d, it must be between %d and %d", counts[i].name,
                       counts[i].count, counts[i].least, MOST);
    good = false;
  }
  return good;
}

static void require(trm_draft *draft, bool present, const char *callback, const char *what) {
  if (!present) trm_draft_error_at(draft, "system", "callback '%s' is missing: %s", callback, what);
}

/* Over jets, or three callbacks beside each other; none where there are no constraints. */
static void check_constraints(trm_draft *draft, const char *level, int count, bool jet, bool value,
                              bool jacobian, bool gamma) {
  char jet_name[32], name[40];
  snprintf(jet_name, sizeof jet_name, "%s_jet", level);
  if (count == 0 && (jet || value || jacobian || gamma))
    trm_draft_error_at(draft, "system",
                       "there are callbacks for %s constraints, but %s_constraints is 0", level,
                       level);
  if (count == 0) return;
  if (jet && (value || jacobian || gamma))
    trm_draft_error_at(draft, "system",
                       "callback '%s' gives all derivatives: '%s' and its derivatives must not be "
                       "given beside it",
                       jet_name, level);
  if (jet) return;
  if (!value && !jacobian && !gamma) {
    require(draft, false, jet_name, "it (or values and derivatives) gives the constraints");
    return;
  }
  require(draft, value, level, "the constraints themselves");
  snprintf(name, sizeof name, "%s_jacobian", level);
  require(draft, jacobian, name, "derivatives are taken by the library from jets only");
  snprintf(name, sizeof name, "%s_gamma", level);
  require(draft, gamma, name, "derivatives are taken by the library from jets only");
}

static void check_callbacks(trm_draft *draft, const trm_system_def *def) {
  require(draft, def->mass != NULL, "mass", "it gives the mass matrix");
  require(draft, def->force != NULL, "force", "it gives the forces");
  check_constraints(draft, "position", def->position_constraints, def->position_jet, def->position,
                    def->position_jacobian, def->position_gamma);
  check_constraints(draft, "velocity", def->velocity_constraints, def->velocity_jet, def->velocity,
                    def->velocity_jacobian, def->velocity_gamma);
  if (def->energy && def->energy_jet)
    trm_draft_error_at(draft, "system", "callbacks 'energy' and 'energy_jet': only one is needed");
  if (def->power && !def->energy)
    trm_draft_error_at(draft, "system", "callback 'power' goes with 'energy', which is missing");
}

/* lambda, lambda1 … are the multipliers. */
static bool is_multiplier(const char *name) {
  return strncmp(name, "lambda", 6) == 0 && name[6 + strspn(name + 6, "0123456789")] == '\0';
}

static void check_name(trm_draft *draft, const char *name, trm_map *known, int i) {
  const trm_subject subject = {"system/coordinates", "coordinate", name};
  size_t length = strlen(name);
  if (length > LONGEST_NAME)
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": a name may have %d letters at most", LONGEST_NAME);
  else if (!trm_is_name(name, length))
    TRM_DRAFT_ERROR(draft, &subject, NULL,
                    " is no name; names are letters, digits and '_', starting with a letter");
  else if (trm_is_reserved(name) || is_multiplier(name))
    TRM_DRAFT_ERROR(draft, &subject, NULL,
                    ": this name is reserved, as are ground, energy, constraint, momentum, t, pi "
                    "and lambda");
  else if (trm_map_get(draft->parameters, name, length) >= 0)
    TRM_DRAFT_ERROR(draft, &subject, NULL, ": there is a parameter of this name");
  else if (trm_map_get(known, name, length) >= 0)
    TRM_DRAFT_ERROR(draft, &subject, NULL, " is defined twice");
  else if (!trm_map_put(known, name, length, i))
    draft->no_memory = true;
}

static void name_coordinates(trm_draft *draft, trm_user *user) {
  const trm_system_def *def = &draft->user->def;
  trm_map *known = trm_map_create(draft->arena);
  if (!known) draft->no_memory = true;
  for (int i = 0; known && i < user->n; i++) {
    char name[16];
    snprintf(name, sizeof name, "q%d", i + 1);
    user->names[i] = trm_arena_string(draft->model->arena, def->names ? def->names[i] : name);
    if (!user->names[i]) draft->no_memory = true;
    if (user->names[i]) check_name(draft, user->names[i], known, i);
  }
}

static void copy_start(trm_draft *draft, trm_user *user) {
  const trm_user_def *given = draft->user;
  if (!given->def.q)
    trm_draft_error_at(draft, "system/coordinates", "the initial coordinates q are missing");
  for (int i = 0; i < user->n && given->def.q && !draft->no_memory; i++) {
    const trm_subject subject = {"system/coordinates", "coordinate", user->names[i]};
    user->q[i] = given->def.q[i];
    user->v[i] = given->def.v ? given->def.v[i] : 0;
    user->v_given[i] = given->v_given ? given->v_given[i] : given->def.v != NULL;
    if (!isfinite(user->q[i]) || !isfinite(user->v[i]))
      TRM_DRAFT_ERROR(draft, &subject, NULL, ": its %s at the start is %g, it must be finite",
                      isfinite(user->q[i]) ? "velocity" : "value",
                      isfinite(user->q[i]) ? user->v[i] : user->q[i]);
  }
}

static trm_user *create(trm_draft *draft) {
  const trm_system_def *def = &draft->user->def;
  trm_arena *arena = draft->model->arena;
  trm_user *user = TRM_NEW(arena, trm_user, 1);
  if (!user) return NULL;
  user->n = def->coordinates;
  user->m = def->position_constraints;
  user->p = def->velocity_constraints;
  user->callbacks = *def;
  user->callbacks.names = NULL; /* what follows has its own copies */
  user->callbacks.q = user->callbacks.v = NULL;
  user->formulas = draft->user->formulas;
  user->mass_diagonal = draft->user->mass_diagonal;
  user->mass_constant = def->mass_constant;
  user->velocity_linear = def->velocity_linear || user->p == 0;
  user->has_energy = def->energy || def->energy_jet;
  user->names = TRM_NEW(arena, const char *, user->n);
  user->q = TRM_NEW(arena, double, user->n);
  user->v = TRM_NEW(arena, double, user->n);
  user->v_given = TRM_NEW(arena, bool, user->n);
  user->coordinate_origin = TRM_NEW(arena, trm_origin, user->n);
  user->force_origin = TRM_NEW(arena, trm_origin, user->n);
  user->position_origin = TRM_NEW(arena, trm_origin, user->m + 1);
  user->velocity_origin = TRM_NEW(arena, trm_origin, user->p + 1);
  bool good = user->names && user->q && user->v && user->v_given && user->coordinate_origin &&
              user->force_origin && user->position_origin && user->velocity_origin;
  return good ? user : NULL;
}

static void refuse_bodies(trm_draft *draft) {
  if (draft->body_count + draft->joint_count + draft->force_count + draft->point_count > 0)
    trm_draft_error_at(draft, "system",
                       "a system of its own has no bodies, points, joints or forces");
}

void trm_draft_user(trm_draft *draft) {
  refuse_bodies(draft);
  if (!check_counts(draft, &draft->user->def)) return;
  trm_user *user = draft->model->user = create(draft);
  if (!user) {
    draft->no_memory = true;
    return;
  }
  name_coordinates(draft, user);
  copy_start(draft, user);
  if (draft->no_memory) return;
  if (user->formulas)
    trm_draft_user_formulas(draft);
  else
    check_callbacks(draft, &draft->user->def);
}

/* A model with other values of its parameters is, bit by bit, what is read with these values; and
 * nothing is read for it. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <math.h>
#include <pthread.h>

#include "load.h"
#include "model/user.h"

/* ---- what is the same ---- */

static void same_numbers(const void *a, const void *b, size_t size) {
  if (size > 0) assert_memory_equal(a, b, size);
}
#define SAME(field) same_numbers(&a->field, &b->field, sizeof a->field)

static void same_text(const char *a, const char *b) {
  assert_int_equal(a != NULL, b != NULL);
  if (a) assert_string_equal(a, b);
}

static void same_formula(const trm_expression *a, const trm_expression *b) {
  assert_int_equal(a != NULL, b != NULL);
  if (!a) return;
  /* points that are written out are compared by what the table gives, below */
  enum { SLOTS = 2000 };
  static double slots[SLOTS];
  assert_true(trm_expression_slot_count(a) <= SLOTS);
  assert_int_equal(trm_expression_slot_count(a), trm_expression_slot_count(b));
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < SLOTS; i++) slots[i] = 0.1 + 0.37 * k + 0.011 * i;
    double x = trm_expression_value(a, slots), y = trm_expression_value(b, slots);
    same_numbers(&x, &y, sizeof x);
  }
}

static void same_quantity(const trm_quantity *a, const trm_quantity *b) {
  if (!a->formula) SAME(number);
  same_formula(a->formula, b->formula);
  same_formula(a->symbols, b->symbols);
}

static void same_end(const trm_end *a, const trm_end *b) {
  SAME(body);
  SAME(u);
}

static void same_measure(const trm_measure *a, const trm_measure *b) {
  same_text(a->name, b->name);
  SAME(kind);
  SAME(index);
  same_end(&a->end, &b->end);
  SAME(component);
  SAME(level);
}

static void same_measures(int count, const trm_measure *a, const trm_measure *b) {
  for (int i = 0; i < count; i++) same_measure(&a[i], &b[i]);
}

static void same_origin(const trm_origin *a, const trm_origin *b) {
  SAME(line);
  SAME(column);
  same_text(a->file, b->file);
  same_text(a->from, b->from);
  assert_int_equal(a->source != NULL, b->source != NULL);
  if (a->source) assert_int_equal(strncmp(a->source, b->source, strcspn(a->source, "\n") + 1), 0);
}

static void same_body(const trm_body *a, const trm_body *b) {
  same_text(a->name, b->name);
  SAME(mass);
  SAME(inertia);
  SAME(com);
  SAME(position);
  SAME(angle);
  SAME(R);
  SAME(velocity_given);
  SAME(angular_velocity_given);
  SAME(velocity);
  SAME(angular_velocity);
  SAME(gravity);
  SAME(shape.type);
  SAME(shape.size);
  SAME(point_count);
  for (int i = 0; i < a->point_count; i++) {
    same_text(a->points[i].name, b->points[i].name);
    SAME(points[i].u);
  }
  same_origin(&a->origin, &b->origin);
}

static void same_joint(const trm_joint *a, const trm_joint *b) {
  same_text(a->name, b->name);
  SAME(type);
  for (int k = 0; k < 2; k++) same_end(&a->end[k], &b->end[k]);
  SAME(axis);
  same_quantity(&a->value, &b->value);
  SAME(of_rate);
  SAME(radius);
  SAME(disc);
  SAME(pitch);
  SAME(term_count);
  for (int i = 0; i < a->term_count; i++) {
    same_measure(&a->terms[i].measure, &b->terms[i].measure);
    SAME(terms[i].factor);
  }
  same_origin(&a->origin, &b->origin);
}

static void same_force(const trm_force *a, const trm_force *b) {
  same_text(a->name, b->name);
  SAME(type);
  for (int k = 0; k < 2; k++) same_end(&a->end[k], &b->end[k]);
  SAME(joint);
  SAME(against);
  SAME(freedom);
  SAME(body_frame);
  for (int k = 0; k < 6; k++) same_quantity(&a->value[k], &b->value[k]);
  SAME(axis);
  SAME(side);
  assert_int_equal(a->tire != NULL, b->tire != NULL);
  assert_int_equal(a->bushing != NULL, b->bushing != NULL);
  if (a->bushing) SAME(bushing->K), SAME(bushing->D), SAME(bushing->preload), SAME(bushing->axes);
  same_quantity(&a->stiffness, &b->stiffness);
  same_quantity(&a->damping, &b->damping);
  same_quantity(&a->free, &b->free);
  same_origin(&a->origin, &b->origin);
}

static void same_signal(const trm_signal *a, const trm_signal *b) {
  same_text(a->name, b->name);
  SAME(kind);
  same_quantity(&a->value, &b->value);
  same_quantity(&a->initial, &b->initial);
  SAME(slot);
  SAME(rate_slot);
  SAME(state);
  SAME(smooth);
  SAME(argument_count);
  for (int k = 0; k < a->argument_count; k++) same_quantity(&a->arguments[k], &b->arguments[k]);
}

static void same_event(const trm_event *a, const trm_event *b) {
  same_text(a->name, b->name);
  same_quantity(&a->when, &b->when);
  SAME(direction);
  SAME(stop);
  SAME(set_count);
  for (int k = 0; k < a->set_count; k++) same_quantity(&a->sets[k].value, &b->sets[k].value);
}

static void same_user(const trm_user *a, const trm_user *b) {
  assert_int_equal(a != NULL, b != NULL);
  if (!a) return;
  SAME(n);
  SAME(m);
  SAME(p);
  same_numbers(a->q, b->q, (size_t)a->n * sizeof(double));
  same_numbers(a->v, b->v, (size_t)a->n * sizeof(double));
  int entries = !a->mass ? 0 : a->mass_diagonal ? a->n : a->n * a->n;
  for (int i = 0; i < entries; i++) same_quantity(&a->mass[i], &b->mass[i]);
  for (int i = 0; a->force && i < a->n; i++) same_quantity(&a->force[i], &b->force[i]);
  for (int i = 0; a->position && i < a->m; i++) same_quantity(&a->position[i], &b->position[i]);
  for (int i = 0; a->velocity && i < a->p; i++) same_quantity(&a->velocity[i], &b->velocity[i]);
}

static void same_model(const trm_model *a, const trm_model *b) {
  same_text(a->name, b->name);
  same_text(a->description, b->description);
  same_text(a->file, b->file);
  same_text(a->text, b->text);
  SAME(files.count);
  SAME(files.sum);
  SAME(part_count);
  for (int i = 0; i < a->part_count; i++) {
    same_text(a->parts[i].file, b->parts[i].file);
    same_text(a->parts[i].text, b->parts[i].text);
  }
  SAME(space);
  SAME(gravity);
  SAME(body_count);
  SAME(joint_count);
  SAME(force_count);
  SAME(shaft_count);
  for (int i = 0; i < a->body_count; i++) same_body(&a->bodies[i], &b->bodies[i]);
  same_body(&a->ground, &b->ground);
  for (int i = 0; i < a->joint_count; i++) same_joint(&a->joints[i], &b->joints[i]);
  for (int i = 0; i < a->force_count; i++) same_force(&a->forces[i], &b->forces[i]);
  same_quantity(&a->road.height, &b->road.height);
  same_quantity(&a->road.friction, &b->road.friction);
  SAME(tire_count);
  SAME(parameter_count);
  for (int i = 0; i < a->parameter_count; i++) {
    same_text(a->parameters[i].name, b->parameters[i].name);
    SAME(parameters[i].value);
    assert_int_equal(a->parameter_symbols != NULL, b->parameter_symbols != NULL);
    if (a->parameter_symbols) same_formula(a->parameter_symbols[i], b->parameter_symbols[i]);
  }
  SAME(input_count);
  same_measures(a->input_count, a->inputs, b->inputs);
  SAME(signal_count);
  for (int i = 0; i < a->signal_count; i++) same_signal(&a->signals[i], &b->signals[i]);
  SAME(event_count);
  for (int i = 0; i < a->event_count; i++) same_event(&a->events[i], &b->events[i]);
  SAME(start);
  SAME(initial_count);
  for (int i = 0; i < a->initial_count; i++) {
    same_measure(&a->initials[i].measure, &b->initials[i].measure);
    SAME(initials[i].value);
  }
  SAME(output_count);
  same_measures(a->output_count, a->outputs, b->outputs);
  SAME(formula_count);
  for (int i = 0; i < a->formula_count; i++) {
    SAME(formulas[i].count);
    same_formula(a->formulas[i].formula, b->formulas[i].formula);
    same_measures(a->formulas[i].count, a->formulas[i].measures, b->formulas[i].measures);
  }
  SAME(metric_count);
  SAME(figure_count);
  SAME(scenery_count);
  SAME(length);
  SAME(settings.duration);
  SAME(settings.step);
  same_text(a->settings.integrator, b->settings.integrator);
  same_user(a->user, b->user);
}

static void same_messages(const trm_diagnostics *a, const trm_diagnostics *b) {
  assert_int_equal(trm_diagnostics_count(a), trm_diagnostics_count(b));
  for (int i = 0; i < trm_diagnostics_count(a); i++) {
    const trm_diagnostic *x = trm_diagnostics_get(a, i), *y = trm_diagnostics_get(b, i);
    assert_int_equal(x->severity, y->severity);
    same_text(x->file, y->file);
    assert_int_equal(x->line, y->line);
    assert_int_equal(x->column, y->column);
    same_text(x->source, y->source);
    assert_string_equal(x->message, y->message);
  }
}

/* ---- every shipped model and parameter ---- */

static loaded make_with(const trm_model *model, const char *name, double value) {
  loaded made = {.diagnostics = trm_diagnostics_create(), .status = TRM_FAILED};
  made.model = trm_model_with(model, name ? 1 : 0, &name, &value, made.diagnostics, &made.status);
  return made;
}

static loaded read_with(const char *path, const char *name, double value) {
  char text[200];
  snprintf(text, sizeof text, "%s=%.17g", name, value);
  const char *const overrides[] = {text, NULL};
  return load_path(path, overrides);
}

/* What is wrong with the value is said in the same words at the same places. */
static void compare(const char *path, const trm_model *model, const char *name, double value) {
  loaded made = make_with(model, name, value), read = read_with(path, name, value);
  assert_int_equal(made.status, read.status);
  same_messages(made.diagnostics, read.diagnostics);
  assert_int_equal(made.model != NULL, read.model != NULL);
  if (made.model) same_model(made.model, read.model);
  unload(&made);
  unload(&read);
}

/* Formulas with parameters as slots, whatever the model was made of. */
static void compare_symbols(const char *path, const trm_model *model, const char *name,
                            double value) {
  loaded read = read_with(path, name, value);
  if (read.model) {
    trm_model *one = trm_model_with_symbols(model, 1, &name, &value, NULL, NULL);
    trm_model *other = trm_model_with_symbols(read.model, 0, NULL, NULL, NULL, NULL);
    assert_true(one && other);
    same_model(one, other);
    trm_model_destroy(one);
    trm_model_destroy(other);
  }
  unload(&read);
}

static int models, parameters;

static int visit(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info, (void)where;
  const char *end = strrchr(path, '.');
  if (kind != FTW_F || !end || strcmp(end, ".yaml") != 0) return 0;
  trm_model *model = trm_model_load(path, NULL, NULL, NULL);
  models += model != NULL; /* others are parts */
  for (int i = 0; model && i < model->parameter_count; i++) {
    const char *name = model->parameters[i].name;
    double x = model->parameters[i].value;
    const double values[] = {x != 0 ? 1.01 * x : 0.01, x, 0, -x, 1e-300, 1e300, NAN};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
      if (fabs(values[k]) < 1e5 || !(x > 2 && x == floor(x))) /* not so many bodies */
        compare(path, model, name, values[k]);
    compare_symbols(path, model, name, values[0]);
    parameters++;
  }
  trm_model_destroy(model);
  return 0;
}

static void every_model(void **state) {
  (void)state;
  assert_int_equal(nftw("models", visit, 10, FTW_PHYS), 0);
  assert_true(models > 50 && parameters > 200);
}

/* ---- nothing is read ---- */

static const char part[] = "trammel: 1\n"
                           "parameters: {c: 2, d: 2*c}\n"
                           "bodies:\n"
                           "  arm:\n"
                           "    density: d\n"
                           "    shape: {mesh: cube.stl}\n"
                           "    inertia: auto\n"
                           "    position: [c, 0, 0]\n"
                           "forces:\n"
                           "  push: {type: force, point: arm, "
                           "value: [\"table(t, 'f.csv')*c\", 0, 0]}\n";

static const char whole[] =
    "trammel: 1\n"
    "space: spatial\n"
    "parameters: {k: 3, e: 2, n: \"e^2 + max(k, 1)\", P: [k, 0, 1]}\n"
    "include:\n"
    "  - {file: part.yaml, prefix: left_, with: {c: k}, at: [0, n, 0]}\n"
    "  - {file: part.yaml, prefix: right_, mirror: y}\n"
    "bodies:\n"
    "  box: {mass: n, inertia: [k, k, k], position: [0, 0, \"if(k > 3, norm(P), 1)\"]}\n"
    "variables: {u: \"smooth(k*sin(t), 0.1*e)\"}\n"
    "forces:\n"
    "  pull: {type: force, point: box, value: [\"if(k > 4 and e > 0, u, table(t, 0, 0, 1, 2))\", "
    "\"k*box.vx^e\", \"step(t, 0, k, e, 1)\"]}\n"
    "outputs: [box, {w: \"k*box.x\"}]\n"
    "metrics: {best: \"max(box.x)*k\"}\n";

/* A cube of edge 1 as a binary STL: 12 triangles seen from outside. */
static void write_cube(const char *path) {
  static const unsigned char faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                             {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                             {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  unsigned char bytes[84 + 12 * 50] = {0};
  bytes[80] = 12;
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++) {
        float x = (float)(faces[i][k] >> c & 1);
        memcpy(bytes + 84 + 50 * i + 12 + 12 * k + 4 * c, &x, sizeof x);
      }
  write_bytes(path, bytes, sizeof bytes);
}

enum { FILES = 4 };
static const char *const files[FILES] = {"m.yaml", "part.yaml", "f.csv", "cube.stl"};

static void write_files(void) {
  static const char table[] = "t,f\n0,1\n1,2\n2,5\n3,4\n";
  write_bytes(scratch_path("m.yaml"), whole, strlen(whole));
  write_bytes(scratch_path("part.yaml"), part, strlen(part));
  write_bytes(scratch_path("f.csv"), table, strlen(table));
  write_cube(scratch_path("cube.stl"));
}

static void nothing_is_read(void **state) {
  (void)state;
  static const char *const names[] = {"k", "e", "n", "P.x", "left_c", "right_d"};
  enum { NAMES = 6, VALUES = 3 };
  static const double values[VALUES] = {5, 2.5, 0.5};
  loaded read[NAMES][VALUES];
  char path[400];
  write_files();
  snprintf(path, sizeof path, "%s", scratch_path("m.yaml"));
  loaded first = load_path(path, NULL);
  assert_int_equal(first.status, TRM_OK);
  for (int i = 0; i < NAMES; i++)
    for (int k = 0; k < VALUES; k++) read[i][k] = read_with(path, names[i], values[k]);
  for (int i = 0; i < FILES; i++) assert_int_equal(remove(scratch_path(files[i])), 0);
  for (int i = 0; i < NAMES; i++)
    for (int k = 0; k < VALUES; k++) {
      loaded made = make_with(first.model, names[i], values[k]);
      assert_int_equal(made.status, read[i][k].status);
      same_messages(made.diagnostics, read[i][k].diagnostics);
      if (made.model) same_model(made.model, read[i][k].model);
      unload(&made);
      unload(&read[i][k]);
    }
  unload(&first);
}

/* One of another, when the first is gone: what was read lives as long as any of them. */
static void one_of_another(void **state) {
  (void)state;
  write_files();
  char path[400];
  snprintf(path, sizeof path, "%s", scratch_path("m.yaml"));
  loaded model = load_path(path, NULL), read = read_with(path, "k", 10);
  for (int k = 1; k <= 10; k++) {
    loaded next = make_with(model.model, "k", k);
    assert_int_equal(next.status, TRM_OK);
    unload(&model);
    model = next;
  }
  same_model(model.model, read.model);
  unload(&model);
  unload(&read);
  for (int i = 0; i < FILES; i++) remove(scratch_path(files[i]));
}

/* ---- threads ---- */

enum { THREADS = 4, EACH = 25 };

typedef struct worker {
  const trm_model *model;
  trm_model *made[EACH];
  int first;
} worker;

static double value_of(int i) {
  return 1 + 0.001 * i;
}

static void *work(void *context) {
  worker *w = context;
  static const char *const name = "k";
  for (int i = 0; i < EACH; i++) {
    double value = value_of(w->first + i);
    w->made[i] = trm_model_with(w->model, 1, &name, &value, NULL, NULL);
  }
  return NULL;
}

static void many_threads(void **state) {
  (void)state;
  write_files();
  char path[400];
  snprintf(path, sizeof path, "%s", scratch_path("m.yaml"));
  loaded model = load_path(path, NULL);
  pthread_t threads[THREADS];
  worker workers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){.model = model.model, .first = i * EACH};
    assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; i++)
    for (int k = 0; k < EACH; k++) {
      loaded read = read_with(path, "k", value_of(workers[i].first + k));
      same_model(workers[i].made[k], read.model);
      trm_model_destroy(workers[i].made[k]);
      unload(&read);
    }
  unload(&model);
  for (int i = 0; i < FILES; i++) remove(scratch_path(files[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_model), cmocka_unit_test(nothing_is_read),
      cmocka_unit_test(one_of_another), cmocka_unit_test(many_threads)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}

/* trammel check: reads and assembles a model and tells what it is. */
#include "cli.h"

#include <math.h>
#include <stdio.h>

static const char *space_of(const trm_model *model) {
  if (trm_model_is_system(model)) return NULL;
  return trm_model_space(model) == TRM_PLANAR ? "planar" : "spatial";
}

static void print_count(const char *label, int count) {
  printf("  %-27s%d\n", label, count);
}

static void print_redundant(const trm_model *model, const trm_simulation *simulation,
                            const trm_inspection *found) {
  const char *among = trm_model_is_system(model) ? " among " : " among joints ";
  printf("  %-27s%d", "redundant constraints", found->redundant);
  for (int k = 0; k < found->redundant_joints; k++)
    printf("%s%s", k ? ", " : among, trm_simulation_redundant_joint(simulation, k));
  putchar('\n');
}

static void print_start(const trm_model *model, const trm_inspection *found) {
  printf("  %-27s", "start");
  if (found->rank_at_start < found->rank)
    printf("singular: rank %d there\n", found->rank_at_start);
  else
    puts("regular");
  printf("  %-27s%.3g\n", "position gap as written", found->position_gap);
  printf("  %-27s%.3g\n", "velocity gap as written", found->velocity_gap);
  printf("  %-27s", "moved by assembly");
  if (found->moved_body && trm_model_is_system(model))
    printf("%s by %.3g\n", found->moved_body, found->moved);
  else if (found->moved_body)
    printf(found->turned > 0 ? "%s by %.3g, turned by up to %.3g rad\n" : "%s by %.3g\n",
           found->moved_body, found->moved, found->turned);
  else
    puts("nothing");
}

/* Of a planar linkage: which way it was closed. */
static void print_bends(const trm_simulation *simulation) {
  enum { MOST = 8 };
  const double degree = 57.295779513082321;
  const char *joint;
  double angle;
  for (int k = 0; k < MOST && (joint = trm_simulation_bend(simulation, k, &angle)); k++)
    printf("%s%s by %.3g deg %s", k ? ", " : "  bends                      ", joint,
           fabs(angle) * degree, angle < 0 ? "right" : "left");
  if (trm_simulation_bend(simulation, 0, &angle)) putchar('\n');
}

static void print_masses(const trm_model *model) {
  enum { MOST = 20 };
  int count = trm_model_body_count(model);
  double mass, com[3], I[6];
  bool planar = trm_model_space(model) == TRM_PLANAR;
  printf("  %-27smass; centre of mass; inertia about it\n", "body");
  for (int k = 0; k < count && k < MOST && trm_model_body_mass(model, k, &mass, com, I); k++) {
    printf("    %-24s %.6g; ", trm_model_body_name(model, k), mass);
    if (planar)
      printf("%.6g, %.6g; %.6g\n", com[0], com[1], I[2]);
    else
      printf("%.6g, %.6g, %.6g; %.6g, %.6g, %.6g, %.6g, %.6g, %.6g\n", com[0], com[1], com[2], I[0],
             I[1], I[2], I[3], I[4], I[5]);
  }
  if (count > MOST) printf("    and %d more, which --json has\n", count - MOST);
}

static void print_table(const trm_model *model, const trm_simulation *simulation,
                        const char *coordinates) {
  trm_inspection found = trm_simulation_inspect(simulation);
  const char *space = space_of(model);
  printf("%s (%s)\n", trm_model_name(model), space ? space : "a system of its own");
  if (space) print_count("bodies", found.bodies);
  if (found.shafts > 0) print_count("shafts", found.shafts);
  if (space) print_count("joints", found.joints);
  if (space) print_count("equations of joints", found.joint_constraints);
  printf("  %-27s%d (%s)\n", "generalized coordinates", found.coordinates,
         space ? coordinates : "its own");
  print_count("constraint rows", found.constraints);
  print_count("rank", found.rank);
  print_redundant(model, simulation, &found);
  printf("  %-27s%d%s\n", "degrees of freedom", found.degrees_of_freedom,
         found.locked ? ": nothing can move, and nothing is driven" : "");
  print_start(model, &found);
  print_bends(simulation);
  if (space) print_masses(model);
}

static void print_bodies_json(trm_cli_json *json, const trm_model *model) {
  static const char *const names[] = {"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
  double mass, com[3], I[6];
  bool planar = trm_model_space(model) == TRM_PLANAR;
  trm_cli_json_open(json, "mass_properties", '{');
  for (int k = 0; trm_model_body_mass(model, k, &mass, com, I); k++) {
    trm_cli_json_open(json, trm_model_body_name(model, k), '{');
    trm_cli_json_number(json, "mass", mass);
    trm_cli_json_open(json, "com", '[');
    for (int i = 0; i < (planar ? 2 : 3); i++) trm_cli_json_number(json, NULL, com[i]);
    trm_cli_json_close(json, ']');
    for (int i = planar ? 2 : 0; i < (planar ? 3 : 6); i++)
      trm_cli_json_number(json, names[i], I[i]);
    trm_cli_json_close(json, '}');
  }
  trm_cli_json_close(json, '}');
}

static void print_bends_json(trm_cli_json *json, const trm_simulation *simulation) {
  const char *joint;
  double angle;
  trm_cli_json_open(json, "bends", '{');
  for (int k = 0; (joint = trm_simulation_bend(simulation, k, &angle)); k++)
    trm_cli_json_number(json, joint, angle);
  trm_cli_json_close(json, '}');
}

static void print_json(const trm_model *model, const trm_simulation *simulation, const char *path,
                       const char *coordinates) {
  trm_inspection found = trm_simulation_inspect(simulation);
  trm_cli_json json = {0};
  trm_cli_json_open(&json, NULL, '{');
  trm_cli_json_string(&json, "model", path);
  trm_cli_json_string(&json, "name", trm_model_name(model));
  trm_cli_json_string(&json, "space", space_of(model));
  trm_cli_json_string(&json, "coordinates", space_of(model) ? coordinates : NULL);
  trm_cli_json_open(&json, "parameters", '{');
  for (int k = 0; k < trm_model_parameter_count(model); k++)
    trm_cli_json_number(&json, trm_model_parameter_name(model, k),
                        trm_model_parameter_value(model, k));
  trm_cli_json_close(&json, '}');
  trm_cli_json_number(&json, "bodies", found.bodies);
  if (found.shafts > 0) trm_cli_json_number(&json, "shafts", found.shafts);
  if (space_of(model)) trm_cli_json_number(&json, "joints", found.joints);
  if (space_of(model)) trm_cli_json_number(&json, "joint_constraints", found.joint_constraints);
  trm_cli_json_number(&json, "generalized_coordinates", found.coordinates);
  trm_cli_json_number(&json, "constraints", found.constraints);
  trm_cli_json_number(&json, "rank", found.rank);
  trm_cli_json_number(&json, "redundant_constraints", found.redundant);
  trm_cli_json_open(&json, "redundant_joints", '[');
  for (int k = 0; k < found.redundant_joints; k++)
    trm_cli_json_string(&json, NULL, trm_simulation_redundant_joint(simulation, k));
  trm_cli_json_close(&json, ']');
  trm_cli_json_number(&json, "degrees_of_freedom", found.degrees_of_freedom);
  trm_cli_json_number(&json, "rank_at_start", found.rank_at_start);
  trm_cli_json_bool(&json, "singular_start", found.rank_at_start < found.rank);
  trm_cli_json_number(&json, "position_gap", found.position_gap);
  trm_cli_json_number(&json, "velocity_gap", found.velocity_gap);
  trm_cli_json_string(&json, "moved_body", found.moved_body);
  trm_cli_json_number(&json, "moved", found.moved);
  trm_cli_json_number(&json, "turned", found.turned);
  print_bends_json(&json, simulation);
  if (space_of(model)) print_bodies_json(&json, model);
  trm_cli_json_string(&json, "version", trm_version());
  trm_cli_json_close(&json, '}');
}

static int check_model(const trm_cli_arguments *arguments, trm_diagnostics *diagnostics) {
  const char *path = arguments->models[0];
  trm_model *model = NULL;
  trm_simulation *simulation = NULL;
  trm_settings settings;
  int status = trm_cli_load(arguments, path, &model, &settings, diagnostics);
  if (status == 0) status = trm_cli_refuse_coordinates(arguments, model);
  if (status == 0) {
    trm_status created = TRM_OK;
    trm_cli_take_bodies(&settings);
    simulation = trm_simulation_create(model, &settings, diagnostics, &created);
    if (!simulation) status = created == TRM_OK ? 1 : trm_cli_exit_status(created);
  }
  trm_cli_print_diagnostics(diagnostics, false);
  if (simulation && trm_cli_given(arguments, "json"))
    print_json(model, simulation, path, settings.coordinates);
  else if (simulation)
    print_table(model, simulation, settings.coordinates);
  trm_simulation_destroy(simulation);
  trm_model_destroy(model);
  return status;
}

static int check_command(const trm_cli_arguments *arguments) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  if (!diagnostics) {
    trm_cli_error("out of memory");
    return 1;
  }
  int status = check_model(arguments, diagnostics);
  trm_diagnostics_destroy(diagnostics);
  return status;
}

static const trm_cli_option options[] = {
    {"json", 0, NULL, "print the findings as JSON"},
    {"space", 0, "SPACE", "spatial: a planar model in space, with the same motion"},
    {0}};

const trm_cli_command trm_cli_check = {
    .name = "check",
    .usage = "MODEL [--set NAME=VALUE]... [--input NAME=VALUE]... [--KEY VALUE]... [--json]",
    .summary = "read and assemble a model, count its freedoms, name redundant joints",
    .notes = "exit status: 0 the model can be simulated; 2 wrong usage; 3 bad model\n",
    .options = options,
    .settings = true,
    .least_models = 1,
    .most_models = 1,
    .run = check_command};

/* Which coordinates a model is computed in where nobody says. */
#include "analysis/choose.h"

#include <string.h>

#include "integrator/integrator.h"
#include "solver/solver.h"
#include "system/tree.h"

/* Coordinates: up to here the full tangents of a tree, which radau5 takes over with, cost no more
 * than the sparse ones of bodies' coordinates. */
enum { MOST_FULL = 200 };
/* Numbers: rows of quaternions are full, too. */
static const double most_rows = 1e6;

/* Coordinates of joints have no mass matrix to factor otherwise. */
const char *trm_refuse_joints(const trm_settings *settings, const char **key) {
  if (strcmp(settings->coordinates, "relative") != 0) return NULL;
  *key = "solver";
  if (trm_solver_find(settings->solver) != &trm_udwadia_kalaba)
    return "a tree is its own factorization: solver must be auto or udwadia-kalaba";
  *key = "stabilization";
  if (strcmp(settings->stabilization, "partition") == 0 ||
      strcmp(settings->stabilization, "embedded") == 0)
    return "stabilization must be direct, baumgarte or none";
  *key = "weighting";
  if (strcmp(settings->weighting, "none") == 0) return "corrections are weighted by the mass";
  *key = "energy";
  if (strcmp(settings->energy, "conserve") == 0 || settings->conserve[0])
    return "energy must be free";
  *key = "integrator";
  if (strcmp(settings->integrator, "three-field") == 0)
    return "the momenta of three-field are those of bodies: take another integrator";
  return NULL;
}

/* A tree in space has no constraints in the coordinates of its joints. Loops have, and reactions
 * that may be shared: these are for coordinates of the bodies. So are bodies that are free, with
 * seven coordinates each; a ball has four. */
const char *trm_choose_coordinates(const trm_model *model, const trm_settings *settings,
                                   bool turns_stiff) {
  trm_settings joints = *settings;
  const char *key;
  trm_tree_size tree;
  joints.coordinates = "relative";
  bool suits = !model->user && model->dim == 3 && model->start != TRM_START_STEADY &&
               trm_integrator_find(settings->integrator)->tableau &&
               !trm_refuse_joints(&joints, &key);
  if (!suits) return "natural";
  if (!trm_tree_count(model, &tree)) return NULL;
  bool few = tree.coordinates > 0 && tree.coordinates <= 4 * model->body_count &&
             (double)tree.coordinates * tree.quaternions <= most_rows;
  if (turns_stiff && tree.coordinates > MOST_FULL) few = false;
  return tree.closures == 0 && few ? "relative" : "natural";
}

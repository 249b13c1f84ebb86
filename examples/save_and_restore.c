/* A state saved in the middle of a run, the history of the multistep method included. A second
 * simulation of the same model takes it up; both go on, and end bit by bit at the same place. Run
 * from the repository root. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/trammel.h>

/* The state's numbers; released by the caller. */
static double *state_of(const trm_simulation *simulation) {
  double time, *state = malloc((size_t)trm_simulation_state_size(simulation) * sizeof(double));
  if (state) trm_simulation_get_state(simulation, &time, state);
  return state;
}

int main(void) {
  const double half = 5, end = 10;
  trm_model *model = trm_model_load("models/pendulum.yaml", NULL, NULL, NULL);
  trm_simulation *first = model ? trm_simulation_create(model, NULL, NULL, NULL) : NULL;
  trm_simulation *second = model ? trm_simulation_create(model, NULL, NULL, NULL) : NULL;
  if (!first || !second || trm_simulation_advance(first, half, NULL) != TRM_OK) return 1;

  size_t size = trm_simulation_save(first, NULL, 0); /* how much room it takes */
  void *bytes = malloc(size);
  if (!bytes || trm_simulation_save(first, bytes, size) != size) return 1;
  if (trm_simulation_restore(second, bytes, size, NULL) != TRM_OK) return 1;
  printf("the second simulation starts at %g s\n", trm_simulation_time(second));

  if (trm_simulation_advance(first, end, NULL) != TRM_OK) return 1;
  if (trm_simulation_advance(second, end, NULL) != TRM_OK) return 1;
  double *a = state_of(first), *b = state_of(second);
  if (!a || !b) return 1;
  bool same = memcmp(a, b, (size_t)trm_simulation_state_size(first) * sizeof *a) == 0;
  int x = trm_simulation_find(second, "bob.x", NULL);
  int y = trm_simulation_find(second, "bob.y", NULL);
  printf("after %g s the bob is at (%.9f, %.9f) m\n", trm_simulation_time(second),
         trm_simulation_get(second, x), trm_simulation_get(second, y));
  printf("both simulations have the same state, bit by bit: %s\n", same ? "yes" : "no");
  free(a);
  free(b);
  free(bytes);
  trm_simulation_destroy(first);
  trm_simulation_destroy(second);
  trm_model_destroy(model);
  return 0;
}

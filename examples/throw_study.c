/* A study: many runs of one model on all processors, kept in a folder as they end. A ball is thrown
 * upwards at several speeds: where is it after a second, and how many are still above the hand?
 * Started again, it finds its runs done. Run from the repository root. */
#include <stdio.h>
#include <trammel/trammel.h>

static const char ball[] = "trammel: 1\n"
                           "name: Ball\n"
                           "space: planar\n"
                           "gravity: [0, -9.81]\n"
                           "parameters: {speed: 1}\n"
                           "bodies: {ball: {mass: 1, inertia: 1, velocity: [0, speed]}}\n"
                           "simulate: {duration: 1}\n";

int main(int count, char **words) {
  static const char *const vary[] = {"speed=1:9:5"};
  static const char *const records[] = {"height=final(ball.y)", "mean(ball.y)"};
  static const char *const limits[] = {"height > 0"};
  trm_sweep_def def = trm_default_sweep_def();
  def.vary = vary;
  def.vary_count = 1;
  def.records = records;
  def.record_count = 2;
  def.limits = limits;
  def.limit_count = 1;
  def.folder = count > 1 ? words[1] : "build/throw_study";

  trm_model *model = trm_model_load_text(ball, "ball.yaml", NULL, NULL, NULL);
  trm_sweep *study = model ? trm_sweep_create(model, NULL, &def, NULL, NULL) : NULL;
  bool good = study && trm_sweep_run(study, 0, NULL, NULL, NULL, NULL, NULL) == TRM_OK &&
              trm_sweep_write(study, 0, NULL, true, NULL) == TRM_OK;
  for (int i = 0; good && i < trm_sweep_records(study); i++) {
    trm_sweep_statistic said = trm_sweep_get_statistic(study, i);
    printf("%-12s from %8.4f to %7.4f, mean %7.4f\n", said.record, said.least, said.most,
           said.mean);
  }
  if (good) printf("above the hand: %.0f %%\n", 100 * trm_sweep_get_share(study, 0).share);
  trm_sweep_destroy(study);
  trm_model_destroy(model);
  return good ? 0 : 1;
}

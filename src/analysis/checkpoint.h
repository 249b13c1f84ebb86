/* What a run needs to go on after it was stopped, kept in files. */
#ifndef TRM_ANALYSIS_CHECKPOINT_H
#define TRM_ANALYSIS_CHECKPOINT_H

#include <trammel/simulation.h>

struct trm_checkpoints;

/* The run begins: frames that a checkpoint has are taken back. */
void trm_checkpoints_begin(trm_simulation *simulation, const trm_results *results);
/* It goes on from a checkpoint: the first row is there. */
bool trm_checkpoints_resumes(const trm_simulation *simulation);
/* Behind every step and its row: now and then a checkpoint, and where the run stops. */
void trm_checkpoints_step(trm_simulation *simulation, trm_results *results, bool stops,
                          trm_diagnostics *diagnostics);
void trm_checkpoints_end(trm_simulation *simulation);
void trm_checkpoints_free(struct trm_checkpoints *checkpoints); /* accepts NULL */

#endif

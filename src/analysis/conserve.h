/* The measure that `energy: conserve` keeps in place of the energy. */
#ifndef TRM_ANALYSIS_CONSERVE_H
#define TRM_ANALYSIS_CONSERVE_H

#include "analysis/engine.h"

/* Finds it by the name in the settings; the engine is at its initial state. Reports what cannot
 * be kept. */
trm_status trm_conserve_measure(trm_engine *engine, trm_diagnostics *diagnostics);

#endif

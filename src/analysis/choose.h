/* The formulation of `coordinates: auto`, and what suits coordinates of joints. */
#ifndef TRM_ANALYSIS_CHOOSE_H
#define TRM_ANALYSIS_CHOOSE_H

#include "model/model.h"

/* Settings resolved but for the coordinates; turns_stiff: radau5 takes over where it is stiff.
 * NULL: out of memory. */
const char *trm_choose_coordinates(const trm_model *model, const trm_settings *settings,
                                   bool turns_stiff);
/* Why coordinates of joints cannot be taken with these settings, and by which key; NULL: they can,
 * or others were asked for. */
const char *trm_refuse_joints(const trm_settings *settings, const char **key);

#endif

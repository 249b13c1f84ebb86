/* Measured markers, made a motion. */
#ifndef TRM_CLI_MARKERS_H
#define TRM_CLI_MARKERS_H

#include "analysis.h"

/* Fits the model to the file: writes motion.csv, whose path it gives, and markers.csv, the gaps
 * that are left. Returns the exit status. */
int trm_cli_markers(const trm_cli_arguments *arguments, char *motion, size_t size);

#endif

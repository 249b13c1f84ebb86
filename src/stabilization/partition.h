/* What coordinate partitioning shares with others. */
#ifndef TRM_STABILIZATION_PARTITION_H
#define TRM_STABILIZATION_PARTITION_H

#include "stabilization/stabilizer.h"

/* scale [n]: 1/√M, so that coordinates of different units become comparable */
void trm_partition_weigh(const trm_system *system, double *scale);

/* How often dependent coordinates were chosen. */
long trm_partition_choices(const trm_stabilizer *stabilizer);

#endif

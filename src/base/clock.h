/* Wall and processor time. */
#ifndef TRM_BASE_CLOCK_H
#define TRM_BASE_CLOCK_H

double trm_wall_seconds(void); /* monotonic */
double trm_cpu_seconds(void);  /* of this thread */

#endif

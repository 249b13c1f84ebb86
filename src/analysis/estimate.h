/* How far a run is from the exact motion, by other runs of the same model. */
#ifndef TRM_ANALYSIS_ESTIMATE_H
#define TRM_ANALYSIS_ESTIMATE_H

#include <stdbool.h>

#define TRM_ERROR_LIMIT 0.05 /* of a measure's range: more is wrong */

typedef struct trm_error_estimate {
  bool tried;         /* to the end */
  bool made;          /* there is one */
  double error;       /* the largest of a position, angle or quaternion component */
  double part;        /* the largest in parts of the measure's range */
  int worst;          /* the measure of that, among the marks */
  double since;       /* when it passed the limit first */
  double cpu_seconds; /* what it cost */
} trm_error_estimate;

#endif

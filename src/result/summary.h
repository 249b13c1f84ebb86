/* The summary inside another JSON object. */
#ifndef TRM_RESULT_SUMMARY_H
#define TRM_RESULT_SUMMARY_H

#include <trammel/results.h>

#include "result/json.h"

/* The keys of summary.json into the object that is open. */
void trm_summary_write_fields(const trm_summary *summary, trm_json *json);

#endif

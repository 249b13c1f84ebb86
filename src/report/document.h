/* The frame of every page: what `web/` was built into, around the data. */
#ifndef TRM_REPORT_DOCUMENT_H
#define TRM_REPORT_DOCUMENT_H

#include "result/json.h"

void trm_document_begin(trm_output *output, const char *title);
/* The object that tells the page what to show; `kind`: run, compare, methods. */
void trm_document_open_data(trm_output *output, trm_json *json, const char *kind);
void trm_document_close_data(trm_output *output, trm_json *json);
void trm_document_end(trm_output *output);

#endif

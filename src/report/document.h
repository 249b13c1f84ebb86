/* The frame of every page: what `web/` was built into, around the data. */
#ifndef TRM_REPORT_DOCUMENT_H
#define TRM_REPORT_DOCUMENT_H

#include "result/json.h"

/* With & and < as entities. */
void trm_document_text(trm_output *output, const char *text);
void trm_document_begin(trm_output *output, const char *title);
/* An object inside the page. The one called "data" tells what to show by its "kind": run, compare,
 * methods. */
void trm_document_open_object(trm_output *output, trm_json *json, const char *id);
void trm_document_close_object(trm_output *output, trm_json *json);
/* JSON from anywhere: nothing in it can end the script that it stands in. */
void trm_document_json(trm_output *output, const char *text);
/* Such an object, written already. */
void trm_document_copy_object(trm_output *output, const char *id, const char *text);
void trm_document_end(trm_output *output);

#endif

/* The bytes of a model file. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "model/read_parts.h"

trm_status trm_read_file(trm_document *document, trm_diagnostics *diagnostics) {
  trm_file file = trm_file_read(document->file, "model file", TRM_MODEL_FILE_LIMIT);
  if (!file.text) {
    trm_report_place(diagnostics, TRM_ERROR,
                     (trm_place){.file = document->file, .from = document->from}, "%s",
                     file.reason);
    return file.status;
  }
  if (!trm_arena_defer(document->arena, free, file.text)) return TRM_NO_MEMORY;
  bool marked = strncmp(file.text, "\xef\xbb\xbf", 3) == 0; /* byte order mark */
  document->text = file.text + (marked ? 3 : 0);
  document->length = file.length - (marked ? 3 : 0);
  return TRM_OK;
}

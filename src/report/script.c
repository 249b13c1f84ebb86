/* Finding what a page holds. */
#include "report/script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"

char *trm_script_read(const char *path, trm_diagnostics *diagnostics) {
  FILE *file = fopen(path, "rb");
  long size = -1;
  char *text = NULL;
  if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) text = malloc((size_t)size + 1);
  if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
    free(text);
    text = NULL;
  }
  if (text) text[size] = 0;
  if (!text)
    trm_report(diagnostics, TRM_ERROR, "cannot read '%s': %s", path, strerror(errno ? errno : EIO));
  if (file) fclose(file);
  return text;
}

const char *trm_script_find(const char *text, const char *id, size_t *length, long *rows) {
  char mark[48];
  snprintf(mark, sizeof mark, "\" id=\"%s\"", id);
  const char *found = strstr(text, mark);
  const char *open = found ? strchr(found, '>') : NULL;
  const char *close = open ? strstr(open, "</script>") : NULL;
  if (!close) return NULL;
  const char *count = strstr(found, "data-rows=\"");
  if (rows) *rows = count && count < open ? strtol(count + 11, NULL, 10) : 0;
  *length = (size_t)(close - open - 1);
  return open + 1;
}

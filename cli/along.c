/* --along NAME=A:B:N */
#include "along.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool trm_cli_along_read(trm_cli_along *a, const char *text) {
  size_t length = strcspn(text, "=");
  char *end = NULL;
  const char *at = text + length + 1;
  bool good = length > 0 && text[length] == '=' && length < sizeof a->name;
  if (good) {
    memcpy(a->name, text, length);
    a->name[length] = 0;
    a->first = strtod(at, &end);
    good = end != at && *end == ':';
  }
  if (good) {
    at = end + 1;
    a->last = strtod(at, &end);
    good = end != at && *end == ':';
  }
  if (good) {
    at = end + 1;
    long count = strtol(at, &end, 10);
    good = end != at && *end == 0 && count >= 2 && count <= 1000000;
    a->count = (int)count;
  }
  if (good && isfinite(a->first) && isfinite(a->last) && a->first != a->last) return true;
  trm_cli_error("--along takes PARAMETER=FIRST:LAST:COUNT with 2 values or more, not '%s'", text);
  return false;
}

double trm_cli_along_value(const trm_cli_along *a, int i) {
  return i == a->count - 1 ? a->last : a->first + (a->last - a->first) * i / (a->count - 1);
}

/* A parameter that goes through a range: --along NAME=A:B:N. */
#ifndef TRM_CLI_ALONG_H
#define TRM_CLI_ALONG_H

#include "analysis.h"

typedef struct trm_cli_along {
  char name[128];
  double first, last;
  int count; /* values, both ends included */
} trm_cli_along;

/* False, and said why, where the text is wrong. */
bool trm_cli_along_read(trm_cli_along *along, const char *text);
double trm_cli_along_value(const trm_cli_along *along, int i);

#endif

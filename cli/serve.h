/* Pages for the user of this machine alone: HTTP on 127.0.0.1, at an address with a random word. */
#ifndef TRM_CLI_SERVE_H
#define TRM_CLI_SERVE_H

#include "cli.h"

/* What a request is answered with: a page from a file, another address, or a text. */
typedef struct trm_cli_reply {
  int status;      /* 200, 303, 404 … */
  char file[4200]; /* 200: an HTML file; empty: `text` */
  char text[1000]; /* 303: where to, behind the random word; else what is said */
} trm_cli_reply;

/* method: GET or POST; path: what stands behind the random word, "run/7" say. From any thread. */
typedef void (*trm_cli_answer)(void *context, const char *method, const char *path,
                               trm_cli_reply *reply);

/* Says the address, shows it in the browser and answers until a signal comes. False, and said,
 * where it cannot. */
bool trm_cli_serve(trm_cli_answer answer, void *context, bool quiet);

#endif

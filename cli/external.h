/* Other programs: rsvg-convert, ffmpeg. */
#ifndef TRM_CLI_EXTERNAL_H
#define TRM_CLI_EXTERNAL_H

#include <stdio.h>
#include <sys/types.h>

#include "cli.h"

typedef struct trm_cli_pipe {
  FILE *file; /* its standard input */
  pid_t process;
  const char *const *words;
} trm_cli_pipe;

/* Starts a program (words: NULL at the end); false, and said why, where there is none. `why`: what
 * needs it. */
bool trm_cli_pipe_open(trm_cli_pipe *pipe_out, const char *const *words, const char *why);
/* False, and said, where it failed. */
bool trm_cli_pipe_close(trm_cli_pipe *pipe_out);

/* Shows a page in the user's browser, without waiting for it; false where it cannot. */
bool trm_cli_show_page(const char *address);
bool trm_cli_open_page(const char *path); /* … and said, for --open */

/* The part after the last dot of a file's name, or "". */
const char *trm_cli_ending(const char *path);
/* A number among the options, or its default; false, and said, where it is none from `low`. */
bool trm_cli_number(const trm_cli_arguments *arguments, const char *name, double low,
                    double *value);

#endif

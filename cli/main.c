/* The command-line program: finds the command and leaves the rest to it. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const trm_cli_command *const commands[] = {&trm_cli_run,
                                                  &trm_cli_resume,
                                                  &trm_cli_check,
                                                  &trm_cli_compare,
                                                  &trm_cli_accuracy_command,
                                                  &trm_cli_sweep,
                                                  &trm_cli_equilibrium,
                                                  &trm_cli_modes,
                                                  &trm_cli_linearize,
                                                  &trm_cli_response,
                                                  &trm_cli_inverse,
                                                  &trm_cli_sensitivity,
                                                  &trm_cli_optimize,
                                                  &trm_cli_methods,
                                                  &trm_cli_bench,
                                                  &trm_cli_plot,
                                                  &trm_cli_film,
                                                  &trm_cli_tire,
                                                  &trm_cli_fmu,
                                                  &trm_cli_import,
                                                  &trm_cli_models,
                                                  &trm_cli_new};
enum { COMMANDS = sizeof commands / sizeof *commands };

static bool ends_with(const char *word, const char *end) {
  size_t length = strlen(word), tail = strlen(end);
  return length > tail && strcmp(word + length - tail, end) == 0;
}

static int unknown_command(const char *word) {
  const char *names[COMMANDS];
  for (int k = 0; k < COMMANDS; k++) names[k] = commands[k]->name;
  const char *nearest = trm_cli_nearest(word, names, COMMANDS);
  const char *kind = word[0] == '-' ? "option" : "command";
  if (ends_with(word, ".yaml") || ends_with(word, ".yml"))
    trm_cli_error("unknown command '%s'; did you mean 'trammel run %s'?", word, word);
  else if (nearest)
    trm_cli_error("unknown %s '%s'; did you mean '%s'?", kind, word, nearest);
  else
    trm_cli_error("unknown %s '%s'", kind, word);
  fputs("'trammel --help' lists the commands\n", stderr);
  return 2;
}

static bool has_methods(int count, char *const *words) {
  for (int k = 0; k < count && strcmp(words[k], "--") != 0; k++)
    if (strcmp(words[k], "--methods") == 0) return true;
  return false;
}

static int run_command(const trm_cli_command *command, int count, char *const *words) {
  trm_cli_arguments arguments;
  int status = 2;
  if (command->with_methods && has_methods(count, words)) command = command->with_methods;
  if (trm_cli_parse(&arguments, command, count, words)) {
    status = 0;
    if (trm_cli_given(&arguments, "help"))
      trm_cli_print_command_help(command);
    else
      status = command->run(&arguments);
  }
  trm_cli_release(&arguments);
  return status;
}

static int dispatch(int count, char *const *words) {
  if (count < 2) {
    fputs("usage: trammel COMMAND ...\n'trammel --help' lists the commands\n", stderr);
    return 2;
  }
  if (strcmp(words[1], "--version") == 0) {
    printf("trammel %s\n", trm_version());
    return 0;
  }
  if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0) {
    trm_cli_print_help(commands, COMMANDS);
    return 0;
  }
  for (int k = 0; k < COMMANDS; k++)
    if (strcmp(words[1], commands[k]->name) == 0)
      return run_command(commands[k], count - 2, words + 2);
  return unknown_command(words[1]);
}

int main(int count, char **words) {
  /* a reader that goes away is a write error like any other */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);    /* so is a file that may not grow */
  static char buffer[1 << 16]; /* stdio takes the size of a buffer of its own for a hint only */
  if (!isatty(STDOUT_FILENO)) setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  int status = trm_cli_finish(dispatch(count, words));
  trm_cli_end_by_signal();
  return status;
}

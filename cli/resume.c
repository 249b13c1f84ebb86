/* trammel resume: a run that was stopped or killed goes on. */
#define _XOPEN_SOURCE 700
#include "durable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Nothing to go on with: because it is done, or because there never was a run. */
static int say_nothing_left(const char *folder) {
  char path[TRM_CLI_LONGEST_PATH];
  if (!trm_cli_name(path, folder, "summary.json")) return 1;
  if (access(path, F_OK) == 0) {
    printf("the run in '%s' is finished; there is nothing to resume\n", folder);
    return 0;
  }
  trm_cli_error("there is no run to resume in '%s'", folder);
  return 2;
}

/* The words of the run, with this folder and the options of this command behind them. */
static void add_words(trm_cli_words *command, const trm_cli_arguments *own, char *folder,
                      char *seconds) {
  char **words = command->words;
  int model = command->count - 2; /* "--" and the model stay the last */
  char *tail[2] = {words[model], words[model + 1]};
  int count = model;
  words[count++] = "--output";
  words[count++] = folder;
  if (trm_cli_given(own, "json")) words[count++] = "--json";
  if (trm_cli_given(own, "quiet")) words[count++] = "--quiet";
  if (seconds) {
    words[count++] = "--checkpoint";
    words[count++] = seconds;
  }
  words[count++] = tail[0];
  words[count++] = tail[1];
  command->count = count;
}

static int go_on(const trm_cli_words *command) {
  trm_cli_arguments arguments;
  if (chdir(command->words[0]) != 0) {
    trm_cli_error("cannot go to '%s', where the run was started: %s", command->words[0],
                  strerror(errno));
    return 1;
  }
  bool good = trm_cli_parse(&arguments, &trm_cli_run, command->count - 1, command->words + 1);
  int status = good ? trm_cli_go_on(&arguments) : 2;
  trm_cli_release(&arguments);
  return status;
}

static int resume_command(const trm_cli_arguments *own) {
  const char *given = own->models[0];
  char *folder = realpath(given, NULL);
  if (!folder) {
    trm_cli_error("there is no folder '%s': %s", given, strerror(errno));
    return 2;
  }
  trm_cli_words command;
  const char *seconds = trm_cli_value(own, "checkpoint");
  char *copy = seconds ? strdup(seconds) : NULL;
  int status;
  if (trm_cli_read_command(folder, &command)) {
    add_words(&command, own, folder, copy);
    status = go_on(&command);
    trm_cli_free_words(&command);
  } else {
    status = say_nothing_left(given);
  }
  free(copy);
  free(folder);
  return status;
}

static const trm_cli_option options[] = {
    {"checkpoint", 0, "S", "seconds between checkpoints; default: those of the run"},
    {"json", 0, NULL, "print summary.json on standard output, and nothing else there"},
    {"quiet", 0, NULL, "print nothing but errors"},
    {0}};

const trm_cli_command trm_cli_resume = {
    .name = "resume",
    .usage = "DIR [--checkpoint S] [--json] [--quiet]",
    .summary = "go on with a run that was stopped or killed",
    .notes =
        "DIR is the folder of the run: its checkpoint and the rows written up to there are taken,\n"
        "and the finished results are bit by bit those of a run without a break (adams, bdf and\n"
        "ida: to their tolerance). A run that has no checkpoint yet starts at the beginning.\n\n"
        "exit status: that of run; 0 also where the run is finished; 2 where there is none, or "
        "the\n"
        "checkpoint is of another model, version or kind of machine\n",
    .options = options,
    .input = "folder of a run",
    .least_models = 1,
    .most_models = 1,
    .run = resume_command};

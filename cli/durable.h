/* What keeps a run safe in its folder: a lock, and the command to go on with. */
#ifndef TRM_CLI_DURABLE_H
#define TRM_CLI_DURABLE_H

#include "cli.h"

enum { TRM_CLI_LONGEST_PATH = 4096 };

typedef struct trm_cli_lock {
  int file; /* −1: none */
  char path[TRM_CLI_LONGEST_PATH];
} trm_cli_lock;

/* Keeps other runs out of a folder. Returns the exit status, with what is wrong said. */
int trm_cli_lock_folder(trm_cli_lock *lock, const char *folder);
void trm_cli_unlock_folder(trm_cli_lock *lock);

/* The names of its files are on the disk. */
void trm_cli_sync_folder(const char *folder);

/* A folder `checkpoint` in that of the results, with the command that a run was started by. */
bool trm_cli_write_command(const trm_cli_arguments *arguments, const char *folder);
void trm_cli_remove_checkpoints(const char *folder);
/* What a run that was killed was writing. */
void trm_cli_remove_leftovers(const char *folder);

/* The folder it was started in, then the words of the command. */
typedef struct trm_cli_words {
  char *text;
  char **words; /* [count], the last are free for more */
  int count;
} trm_cli_words;

enum { TRM_CLI_MORE_WORDS = 8 };

/* False: none is there, or it is not whole. */
bool trm_cli_read_command(const char *folder, trm_cli_words *command);
void trm_cli_free_words(trm_cli_words *words);

/* A file of the folder: false, and said, where the name is too long. */
bool trm_cli_name(char path[TRM_CLI_LONGEST_PATH], const char *folder, const char *name);

/* run.c: a run that was stopped goes on. */
int trm_cli_go_on(const trm_cli_arguments *arguments);

#endif

/* One run at a time in a folder, and what it was asked for. */
#define _XOPEN_SOURCE   700
#define _DEFAULT_SOURCE /* flock */
#include "durable.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first_word[] = "trammel run", last_word[] = "end";

bool trm_cli_name(char path[TRM_CLI_LONGEST_PATH], const char *folder, const char *name) {
  int length = snprintf(path, TRM_CLI_LONGEST_PATH, "%s/%s", folder, name);
  if (length < TRM_CLI_LONGEST_PATH) return true;
  trm_cli_error("the name of the folder for results is too long");
  return false;
}

/* ---- the lock ---- */

/* Whoever ends removes the file: it must still be the one that was opened. */
static bool is_still_there(int file, const char *path) {
  struct stat opened, named;
  return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

int trm_cli_lock_folder(trm_cli_lock *lock, const char *folder) {
  lock->file = -1;
  if (!trm_cli_name(lock->path, folder, ".lock")) return 1;
  while (true) {
    int file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0) {
      trm_cli_error("cannot write '%s': %s", lock->path, strerror(errno));
      return 1;
    }
    bool locked = flock(file, LOCK_EX | LOCK_NB) == 0;
    int error = errno;
    if (locked && !is_still_there(file, lock->path)) {
      close(file);
      continue;
    }
    /* a file system without locks: nothing can be said */
    if (locked || (error != EWOULDBLOCK && error != EINTR)) {
      lock->file = file;
      return 0;
    }
    close(file);
    if (error == EINTR) continue;
    trm_cli_error("another run is writing into '%s'; wait for it, or choose another folder (-o)",
                  folder);
    return 2;
  }
}

void trm_cli_unlock_folder(trm_cli_lock *lock) {
  if (lock->file < 0) return;
  unlink(lock->path);
  close(lock->file);
  lock->file = -1;
}

void trm_cli_sync_folder(const char *folder) {
  int file = open(folder, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file); /* not every file system can */
  close(file);
}

/* ---- the command ---- */

static void put_word(FILE *file, const char *word) {
  fwrite(word, 1, strlen(word) + 1, file);
}

/* Where the results go and what is printed is up to the one who resumes. */
static bool stays(const char *name) {
  static const char *const others[] = {"output", "json", "quiet", "help", "set", "input", "open"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(name, others[i]) == 0) return false;
  return true;
}

static void put_arguments(FILE *file, const trm_cli_arguments *arguments) {
  for (int k = 0; k < arguments->option_count; k++) {
    trm_cli_option option = trm_cli_option_get(arguments->command, k);
    if (!arguments->values[k] || !stays(option.name)) continue;
    fprintf(file, "--%s%s%s", option.name, option.argument ? "=" : "",
            option.argument ? arguments->values[k] : "");
    putc(0, file);
  }
  for (int k = 0; k < arguments->set_count; k++) {
    put_word(file, "--set");
    put_word(file, arguments->sets[k]);
  }
  put_word(file, "--");
  put_word(file, arguments->models[0]);
}

static bool write_words(const trm_cli_arguments *arguments, const char *path) {
  char *here = realpath(".", NULL);
  FILE *file = here ? fopen(path, "wb") : NULL;
  if (file) {
    put_word(file, first_word);
    put_word(file, here);
    put_arguments(file, arguments);
    put_word(file, last_word);
  }
  bool good = file && fflush(file) == 0 && (fsync(fileno(file)) == 0 || errno == EINVAL);
  if (file && fclose(file) != 0) good = false;
  free(here);
  return good;
}

bool trm_cli_write_command(const trm_cli_arguments *arguments, const char *folder) {
  char checkpoint[TRM_CLI_LONGEST_PATH], path[TRM_CLI_LONGEST_PATH], beside[TRM_CLI_LONGEST_PATH];
  if (!trm_cli_name(checkpoint, folder, "checkpoint") || !trm_cli_make_folder(checkpoint) ||
      !trm_cli_name(path, checkpoint, "command") ||
      !trm_cli_name(beside, checkpoint, "command.new"))
    return false;
  if (write_words(arguments, beside) && rename(beside, path) == 0) {
    trm_cli_sync_folder(checkpoint);
    trm_cli_sync_folder(folder); /* where the folder of the checkpoints is new */
    return true;
  }
  trm_cli_error("cannot write '%s': %s", path, strerror(errno));
  return false;
}

static void remove_files(const char *folder, bool (*remove)(const char *name)) {
  char path[TRM_CLI_LONGEST_PATH];
  DIR *list = opendir(folder);
  for (struct dirent *entry; list && (entry = readdir(list));)
    if (remove(entry->d_name) && trm_cli_name(path, folder, entry->d_name)) unlink(path);
  if (list) closedir(list);
}

static bool ends_new(const char *name) {
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".new") == 0;
}

static bool is_checkpoint(const char *name) {
  return strcmp(name, "0") == 0 || strcmp(name, "1") == 0 || strcmp(name, "command") == 0 ||
         ends_new(name);
}

void trm_cli_remove_checkpoints(const char *folder) {
  char path[TRM_CLI_LONGEST_PATH];
  if (!trm_cli_name(path, folder, "checkpoint")) return;
  remove_files(path, is_checkpoint);
  rmdir(path);
}

static bool is_leftover(const char *name) {
  static const char *const files[] = {"report.html.", "scene.json.", "summary.json."};
  bool ours = false;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    ours |= strncmp(name, files[i], strlen(files[i])) == 0;
  return ours && ends_new(name);
}

void trm_cli_remove_leftovers(const char *folder) {
  remove_files(folder, is_leftover);
}

static char *read_file(const char *path, size_t *size) {
  struct stat about;
  int there = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe would wait for a writer */
  FILE *file = there >= 0 ? fdopen(there, "rb") : NULL;
  if (there >= 0 && !file) close(there);
  bool plain = file && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode);
  char *text = plain ? malloc((size_t)about.st_size + 1) : NULL;
  *size = text ? fread(text, 1, (size_t)about.st_size, file) : 0;
  if (file) fclose(file);
  return text;
}

bool trm_cli_read_command(const char *folder, trm_cli_words *command) {
  char path[TRM_CLI_LONGEST_PATH];
  size_t size;
  *command = (trm_cli_words){0};
  if (!trm_cli_name(path, folder, "checkpoint/command")) return false;
  char *text = command->text = read_file(path, &size);
  int count = 0;
  for (size_t i = 0; i < size; i++) count += text[i] == 0;
  bool whole = text && size > 0 && text[size - 1] == 0 && count >= 5;
  if (whole) command->words = calloc((size_t)count + TRM_CLI_MORE_WORDS, sizeof(char *));
  for (char *word = text; command->words && command->count < count; word += strlen(word) + 1)
    command->words[command->count++] = word;
  bool good = command->words && strcmp(command->words[0], first_word) == 0 &&
              strcmp(command->words[count - 1], last_word) == 0;
  if (good) { /* without the first and the last */
    memmove(command->words, command->words + 1, (size_t)(count - 2) * sizeof(char *));
    command->count = count - 2;
    return true;
  }
  trm_cli_free_words(command);
  return false;
}

void trm_cli_free_words(trm_cli_words *words) {
  free(words->words);
  free(words->text);
  *words = (trm_cli_words){0};
}

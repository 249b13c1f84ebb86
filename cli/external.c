/* Other programs that draw for us: found on the path, fed through a pipe. */
#define _POSIX_C_SOURCE 200809L
#include "external.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool complain(const char *const *words, const char *why, int error) {
  if (error == ENOENT)
    trm_cli_error("%s needs the program '%s', which is not installed", why, words[0]);
  else
    trm_cli_error("%s: cannot start '%s': %s", why, words[0], strerror(error));
  return false;
}

bool trm_cli_pipe_open(trm_cli_pipe *pipe_out, const char *const *words, const char *why) {
  int ends[2];
  posix_spawn_file_actions_t actions;
  if (pipe(ends) != 0) return complain(words, why, errno);
  /* our end must not live on in the program, or it would wait for itself */
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  if (ends[0] != STDIN_FILENO) posix_spawn_file_actions_addclose(&actions, ends[0]);
  int error =
      posix_spawnp(&pipe_out->process, words[0], &actions, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  pipe_out->words = words;
  pipe_out->file = error ? NULL : fdopen(ends[1], "wb");
  if (!pipe_out->file) close(ends[1]);
  return error ? complain(words, why, error) : pipe_out->file != NULL;
}

bool trm_cli_pipe_close(trm_cli_pipe *pipe_out) {
  int status = 0;
  bool good = fclose(pipe_out->file) == 0;
  while (waitpid(pipe_out->process, &status, 0) < 0)
    if (errno != EINTR) return false;
  if (good && WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  trm_cli_error("'%s' failed", pipe_out->words[0]);
  return false;
}

#ifdef __APPLE__
static const char browser[] = "open";
#else
static const char browser[] = "xdg-open";
#endif

static int show(const char *address) {
  const char *const words[] = {browser, address, NULL};
  pid_t process;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int file = 0; file < 3; file++) /* what a browser says is no word of ours */
    posix_spawn_file_actions_addopen(&actions, file, "/dev/null", file ? O_WRONLY : O_RDONLY, 0);
  int error = posix_spawnp(&process, words[0], &actions, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

bool trm_cli_show_page(const char *address) {
  return show(address) == 0;
}

bool trm_cli_open_page(const char *path) {
  const char *const words[] = {browser, NULL};
  int error = show(path);
  return error ? complain(words, "--open", error) : true;
}

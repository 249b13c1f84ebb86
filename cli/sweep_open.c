/* The page of a study, served: a click on a point runs it and opens its report, two compare. */
#define _POSIX_C_SOURCE 200809L
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "serve.h"

extern char **environ;

enum { LONGEST_PATH = 4096, NUMBER = 64 };

typedef struct server {
  const trm_cli_arguments *arguments;
  const trm_sweep *study;
  const char *folder;
  char *const *options; /* "--rtol=1e-6", NULL behind the last */
  char program[LONGEST_PATH];
  pthread_mutex_t running; /* one run at a time: they have all processors */
} server;

/* ---- another trammel ---- */

/* Until it ends, or until this program shall: then it is told to end as well. */
static int wait_for(pid_t process) {
  const struct timespec moment = {0, 10000000};
  int status = -1;
  bool asked = false;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (trm_cli_stopped() && !asked) asked = kill(process, SIGTERM) == 0;
    nanosleep(&moment, NULL);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Its exit status, −1 where it has none; what it says on standard error goes to `said`. */
static int call(const server *d, const char *const *words, const char *said) {
  posix_spawn_file_actions_t actions;
  pid_t process;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, said, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  int error = posix_spawn(&process, d->program, &actions, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error ? -1 : wait_for(process);
}

static void quote(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  size_t length = file ? fread(text, 1, size - 1, file) : 0;
  text[length] = 0;
  if (file) fclose(file);
}

/* ---- runs and comparisons ---- */

static bool is_there(const char *path) {
  return access(path, R_OK) == 0;
}

static void name_point(const server *d, uint64_t run, const char *file, char path[LONGEST_PATH]) {
  snprintf(path, LONGEST_PATH, "%.3900s/points/%" PRIu64 "%s%s", d->folder, run, *file ? "/" : "",
           file);
}

/* The words of `trammel run` with the parameters of a run, which are exact. */
static const char **compose(const server *d, uint64_t run, const char *folder, char (*sets)[400]) {
  const trm_cli_arguments *a = d->arguments;
  int parameters = trm_sweep_parameters(d->study), count = 0, options = 0;
  double *values = calloc((size_t)parameters + 1, sizeof *values);
  while (d->options[options]) options++;
  const char **words =
      calloc((size_t)(2 * (options + a->set_count + parameters) + 10), sizeof *words);
  if (values && words) {
    trm_sweep_run_parameters(d->study, run - 1, values);
    words[count++] = "trammel";
    words[count++] = "run";
    words[count++] = a->models[0];
    for (int i = 0; i < a->set_count; i++) words[count++] = "--set", words[count++] = a->sets[i];
    for (int k = 0; k < parameters; k++) {
      snprintf(sets[k], sizeof *sets, "%.300s=%.17g", trm_sweep_parameter(d->study, k), values[k]);
      words[count++] = "--set", words[count++] = sets[k];
    }
    for (int i = 0; i < options; i++) words[count++] = d->options[i];
    words[count++] = "--quiet";
    words[count++] = "-o";
    words[count++] = folder;
  }
  free(values);
  return words;
}

/* Its report is there, or the reply says why not. What was run once is not run again. */
static bool provide_run(server *d, uint64_t run, trm_cli_reply *reply) {
  char folder[LONGEST_PATH], report[LONGEST_PATH], summary[LONGEST_PATH], said[LONGEST_PATH + 8];
  name_point(d, run, "", folder);
  name_point(d, run, "report.html", report);
  name_point(d, run, "summary.json", summary); /* the last that is written */
  snprintf(said, sizeof said, "%s.txt", folder);
  if (is_there(report) && is_there(summary)) return true;
  char(*sets)[400] = calloc((size_t)trm_sweep_parameters(d->study) + 1, sizeof *sets);
  const char **words = sets ? compose(d, run, folder, sets) : NULL;
  int status = words ? call(d, words, said) : -1;
  free(words);
  free(sets);
  bool good = status >= 0 && is_there(report) && is_there(summary);
  reply->status = 500;
  int front = snprintf(reply->text, sizeof reply->text, "run %" PRIu64 " gives no report\n", run);
  if (!good) quote(said, reply->text + front, sizeof reply->text - (size_t)front);
  unlink(said);
  return good;
}

static void name_comparison(const server *d, const uint64_t *runs, char path[LONGEST_PATH]) {
  snprintf(path, LONGEST_PATH, "%.3900s/points/%" PRIu64 "-%" PRIu64 ".html", d->folder, runs[0],
           runs[1]);
}

static bool provide_comparison(server *d, const uint64_t *runs, trm_cli_reply *reply) {
  char folders[2][LONGEST_PATH], page[LONGEST_PATH], said[LONGEST_PATH + 8];
  for (int k = 0; k < 2; k++) {
    if (!provide_run(d, runs[k], reply)) return false;
    name_point(d, runs[k], "", folders[k]);
  }
  name_comparison(d, runs, page);
  snprintf(said, sizeof said, "%s.txt", page);
  const char *words[] = {"trammel", "compare", folders[0], folders[1], "--page", page, NULL};
  if (!is_there(page)) call(d, words, said);
  bool good = is_there(page);
  reply->status = 500;
  if (!good) quote(said, reply->text, sizeof reply->text);
  unlink(said);
  return good;
}

/* ---- requests ---- */

/* "NAME/7" or "NAME/7/12": how many numbers, each that of a run; 0: it is not that. */
static int read_runs(const server *d, const char *path, const char *name, uint64_t *runs) {
  size_t length = strlen(name);
  int count = 0;
  if (strncmp(path, name, length) != 0) return 0;
  for (path += length; *path == '/' && count < 2 && path[1] >= '1' && path[1] <= '9'; count++) {
    char *end;
    errno = 0;
    runs[count] = strtoull(path + 1, &end, 10);
    if (errno || runs[count] > trm_sweep_runs(d->study)) return 0;
    path = end;
  }
  return *path ? 0 : count;
}

static void provide(server *d, const uint64_t *runs, int count, trm_cli_reply *reply) {
  char folder[LONGEST_PATH];
  snprintf(folder, sizeof folder, "%.3900s/points", d->folder);
  pthread_mutex_lock(&d->running);
  bool good = trm_cli_make_folder(folder) &&
              (count == 2 ? provide_comparison(d, runs, reply) : provide_run(d, runs[0], reply));
  pthread_mutex_unlock(&d->running);
  if (!good) return;
  reply->status = 303;
  if (count == 2)
    snprintf(reply->text, sizeof reply->text, "comparison/%" PRIu64 "/%" PRIu64, runs[0], runs[1]);
  else
    snprintf(reply->text, sizeof reply->text, "report/%" PRIu64, runs[0]);
}

static void answer(void *context, const char *method, const char *path, trm_cli_reply *reply) {
  server *d = context;
  uint64_t runs[2];
  char file[LONGEST_PATH] = "";
  if (strcmp(method, "POST") == 0) {
    int count = read_runs(d, path, "run", runs);
    if (count > 0) provide(d, runs, count, reply);
    return;
  }
  if (!*path)
    snprintf(file, sizeof file, "%.4000s/sweep.html", d->folder);
  else if (read_runs(d, path, "report", runs) == 1)
    name_point(d, runs[0], "report.html", file);
  else if (read_runs(d, path, "comparison", runs) == 2)
    name_comparison(d, runs, file);
  if (!*file) return;
  reply->status = 200;
  snprintf(reply->file, sizeof reply->file, "%s", file);
}

bool trm_cli_open_study(const trm_cli_arguments *arguments, const trm_sweep *study,
                        const char *folder, char *const *options, bool quiet) {
  server d = {.arguments = arguments, .study = study, .folder = folder, .options = options};
  ssize_t length = readlink("/proc/self/exe", d.program, sizeof d.program - 1);
  if (length <= 0) {
    trm_cli_error("--open: this program cannot be found: %s", strerror(errno));
    return false;
  }
  d.program[length] = 0;
  pthread_mutex_init(&d.running, NULL);
  trm_cli_catch_signals();
  bool good = trm_cli_serve(answer, &d, quiet);
  pthread_mutex_destroy(&d.running);
  return good;
}

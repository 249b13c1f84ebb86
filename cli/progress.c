/* The progress bar, and stopping a run from the keyboard. */
#define _XOPEN_SOURCE 700
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30 };
static const double redraw = 0.1; /* s */

static atomic_int stop; /* the signal, or 0; lock-free: for signal handlers and threads */

static void ask_to_stop(int number) {
  stop = number;
}

/* flags: SA_RESETHAND where the second one shall kill */
static void catch_signal(int number, int flags) {
  struct sigaction action;
  /* what nohup or a shell's & has switched off stays off */
  if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN) return;
  memset(&action, 0, sizeof action);
  action.sa_handler = ask_to_stop;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void trm_cli_catch_signals(void) {
  catch_signal(SIGINT, (int)SA_RESETHAND);
  catch_signal(SIGTERM, (int)SA_RESETHAND);
  catch_signal(SIGQUIT, (int)SA_RESETHAND);
  /* the shell and the terminal send one each, the processor's limit one a second */
  catch_signal(SIGHUP, 0);
  catch_signal(SIGXCPU, 0);
}

void trm_cli_end_by_signal(void) {
  const struct rlimit none = {0, 0};
  int number = stop;
  if (!number) return;
  setrlimit(RLIMIT_CORE, &none); /* it is no crash */
  signal(number, SIG_DFL);
  raise(number);
}

bool trm_cli_stopped(void) {
  return stop;
}

double trm_cli_seconds(void) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool trm_cli_tick(trm_cli_ticker *ticker, double *now) {
  if (++ticker->calls < ticker->interval) return false;
  ticker->calls = 0;
  *now = trm_cli_seconds();
  double passed = *now - ticker->last;
  /* as many steps as fit into some 10 ms, whether one takes a microsecond or a second */
  if (passed < 0.005)
    ticker->interval = 2 * ticker->interval + 1;
  else if (passed > 0.02)
    ticker->interval /= 2;
  ticker->last = *now;
  return true;
}

void trm_cli_bar_start(trm_cli_bar *bar, bool wanted) {
  const char *terminal = getenv("TERM");
  *bar = (trm_cli_bar){0};
  bar->visible = wanted && isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
  bar->start = bar->shown = bar->ticker.last = trm_cli_seconds();
}

static void print_left(double seconds) {
  if (seconds < 60)
    fprintf(stderr, "%.0f s left", seconds);
  else if (seconds < 3600)
    fprintf(stderr, "%d min %02d s left", (int)seconds / 60, (int)seconds % 60);
  else
    fprintf(stderr, "%.1f h left", seconds / 3600);
}

static void draw(trm_cli_bar *bar, double now, const char *text, double fraction) {
  int full = (int)(BAR * fraction);
  char line[BAR + 1];
  memset(line, '-', BAR);
  memset(line, '#', (size_t)(full < 0 ? 0 : full > BAR ? BAR : full));
  line[BAR] = 0;
  fprintf(stderr, "\r[%s] %3.0f %%  %s ", line, 100 * fraction, text);
  if (fraction > 0) print_left((now - bar->start) * (1 - fraction) / fraction);
  fputs("\033[K", stderr);
  fflush(stderr);
  bar->drawn = true;
}

void trm_cli_bar_show(trm_cli_bar *bar, const char *text, double fraction) {
  double now = trm_cli_seconds();
  if (!bar->visible || now - bar->shown < redraw) return;
  bar->shown = now;
  draw(bar, now, text, fraction);
}

bool trm_cli_bar_step(void *context, double time, double fraction) {
  trm_cli_bar *bar = context;
  double now;
  if (bar->visible && trm_cli_tick(&bar->ticker, &now)) {
    char text[32];
    snprintf(text, sizeof text, "t = %-8.4g", time);
    trm_cli_bar_show(bar, text, fraction);
  }
  return !stop;
}

void trm_cli_bar_end(trm_cli_bar *bar) {
  if (bar->drawn) fputs("\r\033[K", stderr);
  bar->drawn = false;
}

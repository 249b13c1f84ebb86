/* What memory has no room for, in a file. */
#define _POSIX_C_SOURCE 200809L
#include "analysis/spill.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "result/beside.h"

struct trm_spill {
  int file;
  size_t first, second; /* bytes of a piece */
};

static int open_in(const char *folder) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/", folder);
  return length > 0 && length < (int)sizeof path ? trm_open_nameless(path) : -1;
}

trm_spill *trm_spill_create(size_t first, size_t second) {
  const char *folder = getenv("TMPDIR");
  trm_spill *s = malloc(sizeof *s);
  if (!s) return NULL;
  *s = (trm_spill){open_in(folder && folder[0] ? folder : "/var/tmp"), first, second};
  if (s->file >= 0) return s;
  free(s);
  return NULL;
}

/* A disk is not filled for this. */
static bool has_room(const trm_spill *s) {
  struct statvfs about;
  if (fstatvfs(s->file, &about) != 0) return false;
  double left = (double)about.f_bavail * (double)about.f_frsize;
  return left > 2 * ((double)s->first + (double)s->second);
}

static long long place_of(const trm_spill *s, int piece) {
  return (long long)piece * (long long)(s->first + s->second);
}

bool trm_spill_write(trm_spill *s, int piece, const void *first, const void *second) {
  long long at = place_of(s, piece);
  return has_room(s) && trm_write_all(s->file, first, s->first, at) == 0 &&
         trm_write_all(s->file, second, s->second, at + (long long)s->first) == 0;
}

bool trm_spill_read(const trm_spill *s, int piece, void *first, void *second) {
  long long at = place_of(s, piece);
  return trm_read_all(s->file, first, s->first, at) == 0 &&
         trm_read_all(s->file, second, s->second, at + (long long)s->first) == 0;
}

void trm_spill_free(trm_spill *s) {
  if (!s) return;
  close(s->file);
  free(s);
}

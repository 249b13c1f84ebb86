#define _POSIX_C_SOURCE 200809L
#include "fmu/archive.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef TRM_MINIZIP
#include <minizip/zip.h>

#include "base/memory.h"

enum { OF_ONE = 1 << 20 }; /* what a file in it may take while it is packed */

struct trm_archive {
  zipFile zip;
  char *path, *beside; /* where it will be, and until it is whole */
};

bool trm_archive_available(void) {
  return true;
}

trm_archive *trm_archive_create(const char *path) {
  trm_archive *a = calloc(1, sizeof *a);
  size_t room = strlen(path) + 6;
  if (a) {
    a->path = strdup(path);
    a->beside = malloc(room);
    if (a->beside) snprintf(a->beside, room, "%s.part", path);
    bool good = a->path && a->beside && trm_memory_left(OF_ONE);
    a->zip = good ? zipOpen64(a->beside, APPEND_STATUS_CREATE) : NULL;
    if (a->zip) return a;
    trm_archive_close(a, false);
  }
  return NULL;
}

/* The same content gives the same bytes: no clock. */
static bool start(trm_archive *a, const char *name) {
  zip_fileinfo about = {.tmz_date = {.tm_mday = 1, .tm_year = 1980}};
  if (!trm_memory_left(OF_ONE)) return false;
  return zipOpenNewFileInZip64(a->zip, name, &about, NULL, 0, NULL, 0, NULL, Z_DEFLATED, 6, 0) ==
         ZIP_OK;
}

bool trm_archive_add(trm_archive *a, const char *name, const void *bytes, size_t size) {
  return start(a, name) && zipWriteInFileInZip(a->zip, bytes, (unsigned)size) == ZIP_OK &&
         zipCloseFileInZip(a->zip) == ZIP_OK;
}

bool trm_archive_add_file(trm_archive *a, const char *name, const char *path) {
  FILE *file = fopen(path, "rb");
  bool good = file && start(a, name);
  char buffer[65536];
  size_t got = 0;
  while (good && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
    good = zipWriteInFileInZip(a->zip, buffer, (unsigned)got) == ZIP_OK;
  if (good) good = !ferror(file) && zipCloseFileInZip(a->zip) == ZIP_OK;
  if (file) fclose(file);
  return good;
}

static bool put_in_place(const trm_archive *a) {
  int file = open(a->beside, O_RDONLY);
  bool good = file >= 0 && fsync(file) == 0;
  if (file >= 0) close(file);
  return good && rename(a->beside, a->path) == 0;
}

bool trm_archive_close(trm_archive *a, bool good) {
  bool closed = !a->zip || zipClose(a->zip, NULL) == ZIP_OK;
  good = good && a->zip && closed && put_in_place(a);
  if (!good && a->zip) remove(a->beside);
  free(a->path);
  free(a->beside);
  free(a);
  return good;
}

#else

bool trm_archive_available(void) {
  return false;
}
trm_archive *trm_archive_create(const char *path) {
  (void)path;
  return NULL;
}
bool trm_archive_add(trm_archive *a, const char *name, const void *bytes, size_t size) {
  (void)a, (void)name, (void)bytes, (void)size;
  return false;
}
bool trm_archive_add_file(trm_archive *a, const char *name, const char *path) {
  (void)a, (void)name, (void)path;
  return false;
}
bool trm_archive_close(trm_archive *a, bool good) {
  (void)a, (void)good;
  return false;
}

#endif

/* Debian's libfyaml.a is not made for shared libraries: it refers to the standard streams as a
 * program does. Streams of our own satisfy it; they are those of the C library. */
#define _GNU_SOURCE
#include <dlfcn.h>

__attribute__((visibility("hidden"))) void *stdin, *stdout, *stderr;

static void *find(const char *name) {
  void **stream = dlsym(RTLD_DEFAULT, name);
  return stream ? *stream : 0;
}

__attribute__((constructor)) static void take_streams(void) {
  stdin = find("stdin");
  stdout = find("stdout");
  stderr = find("stderr");
}

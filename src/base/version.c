/* The version of the library. */
#include <trammel/version.h>

const char *trm_version(void) {
  return TRM_VERSION;
}

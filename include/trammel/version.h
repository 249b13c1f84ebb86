/* The version, for the preprocessor and at run time. */
#ifndef TRAMMEL_VERSION_H
#define TRAMMEL_VERSION_H

#include <trammel/export.h>

TRM_BEGIN_C

#define TRM_VERSION "0.1.0" /* the build reads it from here */

/* Of the library that is linked: may be newer than the header. */
TRM_API const char *trm_version(void);

TRM_END_C

#endif

/* Symbols are hidden unless marked TRM_API. */
#ifndef TRAMMEL_EXPORT_H
#define TRAMMEL_EXPORT_H

#if defined(__GNUC__)
#define TRM_API __attribute__((visibility("default")))
#else
#define TRM_API
#endif

/* Structs that a program fills or receives grow at their end only, and begin with their size as the
 * program was compiled: what a later version adds keeps its default in a program that does not know
 * it. trm_default_… sets the size. */

/* Headers are usable from C++. */
#ifdef __cplusplus
#define TRM_BEGIN_C extern "C" {
#define TRM_END_C   }
#else
#define TRM_BEGIN_C
#define TRM_END_C
#endif

#endif

/* Structs of the public headers that begin with their size: programs built with another version may
 * have shorter or longer ones. */
#ifndef TRM_BASE_SIZED_H
#define TRM_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/diagnostics.h>

/* A program's struct of `size` bytes becomes as much as fits of this library's, `full` bytes. */
void trm_sized_give(void *to, size_t size, const void *own, size_t full);

/* This library's struct, with its defaults, takes what the program's has. False: the program's has
 * no size, it was not made by trm_default_…. */
bool trm_sized_take(void *own, size_t full, const void *from);
/* The same; `maker` ("trm_default_plot") is named where there is no size. NULL: the defaults. */
bool trm_sized_take_or_report(void *own, size_t full, const void *from, const char *maker,
                              trm_diagnostics *diagnostics);

#endif

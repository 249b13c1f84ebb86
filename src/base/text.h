/* Strings: names and spelling suggestions. */
#ifndef TRM_BASE_TEXT_H
#define TRM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Letters, digits and '_', starting with a letter. */
bool trm_is_name(const char *text, size_t length);

/* The candidate nearest to `word` by edit distance, or NULL where none is near enough to be meant.
 */
const char *trm_nearest(const char *word, const char *const *candidates, int count);

#endif

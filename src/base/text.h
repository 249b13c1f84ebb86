/* Strings: names, spelling suggestions, UTF-8. */
#ifndef TRM_BASE_TEXT_H
#define TRM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Letters, digits and '_', starting with a letter. */
bool trm_is_name(const char *text, size_t length);

/* The candidate nearest to `word` by edit distance, or NULL where none is near enough to be meant.
 */
const char *trm_nearest(const char *word, const char *const *candidates, int count);

/* Bytes of the UTF-8 character that starts here, in a string that ends with NUL; 0: none does.
 * Overlong forms and surrogates are none. */
size_t trm_utf8_length(const char *text);

#endif

/* Numbers as text. */
#ifndef TRM_RESULT_NUMBER_H
#define TRM_RESULT_NUMBER_H

#include <stddef.h>

enum { TRM_NUMBER_SIZE = 48 };

/* The text of printf's %.17g in the C locale, which must be in use, and a zero byte; how long it
 * is. Every double reads back as itself. */
size_t trm_number_write(double value, char text[TRM_NUMBER_SIZE]);

#endif

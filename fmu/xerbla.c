/* LAPACK's report of a wrong argument: its own would bring all of Fortran's input and output. */
#include <stddef.h>
#include <stdio.h>

void xerbla_(const char *routine, const int *argument, size_t length);
void xerbla_(const char *routine, const int *argument, size_t length) {
  fprintf(stderr, "%.*s: argument %d is wrong\n", (int)length, routine, *argument);
}

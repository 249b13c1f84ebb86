/* Rows appended to a file, one class per format. Whatever happens to the program, what is there can
 * be read. */
#ifndef TRM_RESULT_ROWS_H
#define TRM_RESULT_ROWS_H

#include <stdbool.h>

typedef struct trm_row_file {
  const struct trm_row_class *type;
  int file;
  int columns;
  const char *const *names; /* [columns] */
  const int *texts; /* [columns] bytes of text in place of a number, a multiple of 8 that counts as
                       so many numbers of a row; 0, or no list: a number */
  long most;        /* rows at most */
  long rows;        /* whole ones in the file */
  long long size;   /* bytes of the file that belong to them */
  void *own;        /* of the class */
} trm_row_file;

/* Takes rows that are read, one after the other. */
typedef bool (*trm_row_sink)(void *context, const double *row);

/* Each returns errno, 0 where all is well. */
typedef struct trm_row_class {
  const char *name;
  int (*begin)(trm_row_file *file); /* an empty file */
  int (*write)(trm_row_file *file, const double *rows, int count);
  /* Readers find the first rows: those that are on the disk. */
  int (*settle)(trm_row_file *file, long rows);
  /* Goes on behind the first rows of a file that was begun before, which it reads; what follows
   * them is cut off. EILSEQ: they are not there. */
  int (*go_on)(trm_row_file *file, long rows, long long size, trm_row_sink sink, void *context);
  void (*end)(trm_row_file *file); /* releases what is its own */
} trm_row_class;

extern const trm_row_class trm_rows_csv, trm_rows_hdf5;

/* "csv", "hdf5"; NULL: none of them. */
const trm_row_class *trm_rows_find(const char *name);

#endif

/* Writing results as HDF5: a chunked data set for each column, for runs whose text would be long.
 */
#include <stdlib.h>
#include <trammel/results.h>

#include "base/diagnostics.h"
#include "result/output.h"

#ifdef TRM_HDF5 /* found by CMake */
#include <hdf5.h>

enum { CHUNK = 8192, GROWTH = 1 << 22 }; /* rows, 64 kB; bytes */

bool trm_results_has_hdf5(void) {
  return true;
}

static bool write_column(hid_t file, const trm_results *results, int column, double *values) {
  hsize_t rows = (hsize_t)trm_results_rows(results), chunk = rows < CHUNK ? rows : CHUNK;
  for (hsize_t i = 0; i < rows; i++) values[i] = trm_results_get(results, (int)i, column);
  hid_t space = H5Screate_simple(1, &rows, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(layout, 1, &chunk);
  hid_t set = H5Dcreate2(file, trm_results_name(results, column), H5T_IEEE_F64LE, space,
                         H5P_DEFAULT, layout, H5P_DEFAULT);
  bool good =
      set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (set >= 0 && H5Dclose(set) < 0) good = false;
  H5Pclose(layout);
  H5Sclose(space);
  return good;
}

/* The columns' order, which HDF5 does not keep. */
static bool write_names(hid_t file, const trm_results *results) {
  hsize_t columns = (hsize_t)trm_results_columns(results);
  const char **names = malloc(columns * sizeof *names);
  for (hsize_t i = 0; names && i < columns; i++) names[i] = trm_results_name(results, (int)i);
  hid_t text = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &columns, NULL);
  H5Tset_size(text, H5T_VARIABLE);
  H5Tset_cset(text, H5T_CSET_UTF8);
  hid_t attribute = H5Acreate2(file, "columns", text, space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = names && attribute >= 0 && H5Awrite(attribute, text, names) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(text);
  free(names);
  return good;
}

static bool write_all(hid_t file, const trm_results *results) {
  double *values = malloc(((size_t)trm_results_rows(results) + 1) * sizeof *values);
  bool good = values && write_names(file, results);
  for (int k = 0; good && k < trm_results_columns(results); k++)
    good = write_column(file, results, k, values);
  free(values);
  return good;
}

/* The file as it will be on disk; NULL: out of memory. HDF5 itself never meets a full disk, at
 * which it would not even let the program end in peace. */
static char *make_image(const trm_results *results, size_t *size) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, GROWTH, false);
  hid_t file = H5Fcreate("results.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  bool good = file >= 0 && write_all(file, results) && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
  ssize_t bytes = good ? H5Fget_file_image(file, NULL, 0) : -1;
  char *image = bytes > 0 ? malloc((size_t)bytes) : NULL;
  if (image && H5Fget_file_image(file, image, (size_t)bytes) != bytes) {
    free(image);
    image = NULL;
  }
  if (file >= 0) H5Fclose(file);
  H5Pclose(access);
  *size = (size_t)bytes;
  return image;
}

trm_status trm_results_write_hdf5(const trm_results *results, const char *path,
                                  trm_diagnostics *diagnostics) {
  size_t size;
  H5E_auto2_t before;
  void *context;
  H5Eget_auto2(H5E_DEFAULT, &before, &context);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it prints otherwise */
  char *image = make_image(results, &size);
  H5Eset_auto2(H5E_DEFAULT, before, context);
  trm_output *output = image ? trm_output_open(path, diagnostics) : NULL;
  if (!image) trm_report(diagnostics, TRM_ERROR, "cannot write '%s': out of memory", path);
  if (output) trm_output_write(output, image, size);
  free(image);
  return output ? trm_output_close(output, diagnostics) : TRM_NO_MEMORY;
}

#else

bool trm_results_has_hdf5(void) {
  return false;
}

trm_status trm_results_write_hdf5(const trm_results *results, const char *path,
                                  trm_diagnostics *diagnostics) {
  (void)results;
  trm_report(diagnostics, TRM_ERROR,
             "cannot write '%s': this program was built without HDF5 (Debian: libhdf5-dev)", path);
  return TRM_IO_ERROR;
}

#endif

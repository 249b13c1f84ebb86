/* trammel tire: the curves of a property file as a page and a table. */
#include "cli.h"

#include <stdio.h>

enum { LONGEST_PATH = 4096 };

static int write_files(const trm_cli_arguments *arguments, const trm_tire *tire,
                       trm_diagnostics *diagnostics) {
  char folder[LONGEST_PATH - 16], page[LONGEST_PATH], table[LONGEST_PATH], title[256];
  int status = trm_cli_results_folder(arguments, "", folder, sizeof folder);
  if (status != 0) return status;
  if (!trm_cli_stem(arguments->models[0], title, sizeof title)) return 1;
  snprintf(page, sizeof page, "%s/tire.html", folder);
  snprintf(table, sizeof table, "%s/tire.csv", folder);
  bool good = trm_tire_write_page(tire, title, page, diagnostics) == TRM_OK;
  good = trm_tire_write_csv(tire, table, diagnostics) == TRM_OK && good;
  trm_cli_print_diagnostics(diagnostics, false);
  if (good) printf("%s\n%s\n", page, table);
  return good ? 0 : 1;
}

static int tire_command(const trm_cli_arguments *arguments) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  trm_status status = TRM_NO_MEMORY;
  trm_tire *tire = diagnostics ? trm_tire_load(arguments->models[0], diagnostics, &status) : NULL;
  if (!diagnostics) trm_cli_error("out of memory");
  trm_cli_print_diagnostics(diagnostics, false);
  int code = tire ? write_files(arguments, tire, diagnostics) : status == TRM_NO_MEMORY ? 1 : 3;
  trm_tire_destroy(tire);
  trm_diagnostics_destroy(diagnostics);
  return code;
}

static const trm_cli_option options[] = {
    {"output", 'o', "DIR", "folder for the files (default: results/<file stem>)"}, {0}};

const trm_cli_command trm_cli_tire = {
    .name = "tire",
    .usage = "FILE.tir [-o DIR]",
    .summary = "draw a tire's property file: forces and moments over slip",
    .notes =
        "Reads a property file (PAC2002 or PAC89) and writes tire.html, a page with Fx over "
        "slip,\nFy and Mz over the slip angle at several loads, combined slip, camber and "
        "relaxation\nlengths, and tire.csv with the same curves. What the file leaves out is "
        "listed.\n\n"
        "exit status: 0 drawn; 1 a file could not be written; 2 wrong usage; 3 bad tire file\n",
    .options = options,
    .input = "tire file",
    .least_models = 1,
    .most_models = 1,
    .run = tire_command};

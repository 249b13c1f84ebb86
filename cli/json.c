/* JSON of the commands. */
#include "cli.h"

#include <math.h>
#include <stdio.h>

static void print_string(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(file, "\\%c", c);
    else if (c < 0x20)
      fprintf(file, "\\u%04x", c);
    else
      fputc(c, file);
  }
  fputc('"', file);
}

static FILE *file_of(const trm_cli_json *json) {
  return json->file ? json->file : stdout;
}

static void print_key(trm_cli_json *json, const char *key) {
  FILE *file = file_of(json);
  if (json->begun) fputc(',', file);
  if (json->depth > 0) fprintf(file, "\n%*s", 2 * json->depth, "");
  json->begun = true;
  if (!key) return;
  print_string(file, key);
  fputs(": ", file);
}

void trm_cli_json_open(trm_cli_json *json, const char *key, char bracket) {
  print_key(json, key);
  fputc(bracket, file_of(json));
  json->depth++;
  json->begun = false;
}

void trm_cli_json_close(trm_cli_json *json, char bracket) {
  json->depth--;
  if (json->begun) fprintf(file_of(json), "\n%*s", 2 * json->depth, "");
  fputc(bracket, file_of(json));
  if (json->depth == 0) fputc('\n', file_of(json));
  json->begun = true;
}

void trm_cli_json_string(trm_cli_json *json, const char *key, const char *value) {
  print_key(json, key);
  if (value)
    print_string(file_of(json), value);
  else
    fputs("null", file_of(json));
}

void trm_cli_json_number(trm_cli_json *json, const char *key, double value) {
  print_key(json, key);
  if (isfinite(value))
    fprintf(file_of(json), "%.15g", value);
  else
    fputs("null", file_of(json));
}

void trm_cli_json_bool(trm_cli_json *json, const char *key, bool value) {
  print_key(json, key);
  fputs(value ? "true" : "false", file_of(json));
}

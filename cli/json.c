/* JSON on standard output for `check` and `bench`. */
#include "cli.h"

#include <math.h>
#include <stdio.h>

static void print_string(const char *text) {
  putchar('"');
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      printf("\\%c", c);
    else if (c < 0x20)
      printf("\\u%04x", c);
    else
      putchar(c);
  }
  putchar('"');
}

static void print_key(trm_cli_json *json, const char *key) {
  if (json->begun) putchar(',');
  if (json->depth > 0) printf("\n%*s", 2 * json->depth, "");
  json->begun = true;
  if (!key) return;
  print_string(key);
  fputs(": ", stdout);
}

void trm_cli_json_open(trm_cli_json *json, const char *key, char bracket) {
  print_key(json, key);
  putchar(bracket);
  json->depth++;
  json->begun = false;
}

void trm_cli_json_close(trm_cli_json *json, char bracket) {
  json->depth--;
  if (json->begun) printf("\n%*s", 2 * json->depth, "");
  putchar(bracket);
  if (json->depth == 0) putchar('\n');
  json->begun = true;
}

void trm_cli_json_string(trm_cli_json *json, const char *key, const char *value) {
  print_key(json, key);
  if (value)
    print_string(value);
  else
    fputs("null", stdout);
}

void trm_cli_json_number(trm_cli_json *json, const char *key, double value) {
  print_key(json, key);
  if (isfinite(value))
    printf("%.15g", value);
  else
    fputs("null", stdout);
}

void trm_cli_json_bool(trm_cli_json *json, const char *key, bool value) {
  print_key(json, key);
  fputs(value ? "true" : "false", stdout);
}

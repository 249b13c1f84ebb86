/* trammel methods: what can be combined, and when to use what. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static bool same(const char *a, const char *b) {
  return a && b && strcmp(a, b) == 0;
}

static bool is_default(const trm_method *method, const trm_settings *settings) {
  const struct {
    const char *key, *value;
  } defaults[] = {{"coordinates", settings->coordinates},
                  {"solver", settings->solver},
                  {"stabilization", settings->stabilization},
                  {"weighting", settings->weighting},
                  {"energy", settings->energy},
                  {"integrator", settings->integrator},
                  {"stepping", settings->stepping},
                  {"linear", settings->linear},
                  {"constraint-inertia", settings->constraint_inertia}};
  for (size_t k = 0; k < sizeof defaults / sizeof *defaults; k++)
    if (same(method->key, defaults[k].key) && same(method->name, defaults[k].value)) return true;
  return false;
}

static int longest_name(void) {
  int longest = 0;
  for (int k = 0; k < trm_method_count(); k++) {
    int length = (int)strlen(trm_method_get(k)->name);
    if (length > longest) longest = length;
  }
  return longest;
}

static const char *key_help(const char *name) {
  for (int k = 0; k < trm_key_count(); k++)
    if (same(trm_key_get(k)->name, name)) return trm_key_get(k)->help;
  return "";
}

static void print_group(const char *key, const trm_settings *settings, int width) {
  printf("%s: %s\n", key, key_help(key));
  for (int k = 0; k < trm_method_count(); k++) {
    const trm_method *method = trm_method_get(k);
    if (!same(method->key, key)) continue;
    printf("%s %-*s  %s\n", is_default(method, settings) ? "*" : " ", width, method->name,
           method->when);
  }
  putchar('\n');
}

static bool seen_before(int index) {
  for (int k = 0; k < index; k++)
    if (same(trm_method_get(k)->key, trm_method_get(index)->key)) return true;
  return false;
}

static int methods_command(const trm_cli_arguments *arguments) {
  (void)arguments;
  trm_settings settings = trm_default_settings();
  int width = longest_name();
  for (int k = 0; k < trm_method_count(); k++)
    if (!seen_before(k)) print_group(trm_method_get(k)->key, &settings, width);
  puts("* is the default. One of each group may be combined; what makes no sense is refused with\n"
       "the reason. In a model: `simulate: {integrator: rk4}`; for one run: --integrator rk4.");
  return 0;
}

static const trm_cli_option options[] = {{0}};

const trm_cli_command trm_cli_methods = {.name = "methods",
                                         .usage = "",
                                         .summary = "what can be combined, and when to use what",
                                         .options = options,
                                         .run = methods_command};

/* Help texts, made from the tables of commands, options and keys. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, INDENT = 30 };

/* Breaks a text at spaces; every line but the first starts at `indent`. */
static void print_wrapped(const char *text, int indent) {
  int column = indent;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (column > indent && column + 1 + length > WIDTH) {
      printf("\n%*s", indent, "");
      column = indent;
    }
    column += printf("%s%.*s", column > indent ? " " : "", length, text);
    text += length + (text[length] == ' ');
  }
  putchar('\n');
}

void trm_cli_print_help(const trm_cli_command *const *commands, int count) {
  printf("Trammel %s simulates mechanisms: rigid bodies, joints and forces from a YAML file.\n\n",
         trm_version());
  puts("usage: trammel COMMAND ...\n");
  for (int k = 0; k < count; k++)
    printf("  trammel %-18s%s\n", commands[k]->name, commands[k]->summary);
  puts("  trammel COMMAND --help    all options of a command\n"
       "  trammel --version");
  puts(
      "\nexit status: 0 done; 1 the simulation failed, was interrupted, or something could not be\n"
      "written; 2 wrong usage; 3 bad model");
}

/* The help of a key goes on with the methods to choose from. */
static void describe(trm_cli_option option, char *text, size_t size) {
  int used = snprintf(text, size, "%s", option.help);
  const char *before = ": ";
  for (int k = 0; k < trm_method_count() && used < (int)size; k++) {
    const trm_method *method = trm_method_get(k);
    if (strcmp(method->key, option.name) != 0) continue;
    used += snprintf(text + used, size - (size_t)used, "%s%s", before, method->name);
    before = ", ";
  }
}

static void print_option(trm_cli_option option) {
  char left[64], letter[8] = "   ", text[512];
  if (option.letter) snprintf(letter, sizeof letter, "-%c,", option.letter);
  snprintf(left, sizeof left, "  %s --%s %s", letter, option.name,
           option.argument ? option.argument : "");
  printf("%-*s", INDENT, left);
  if ((int)strlen(left) >= INDENT) printf("\n%*s", INDENT, "");
  describe(option, text, sizeof text);
  print_wrapped(text, INDENT);
}

void trm_cli_print_command_help(const trm_cli_command *command) {
  printf("usage: trammel %s%s%s\n\n", command->name, *command->usage ? " " : "", command->usage);
  printf("%s\n\noptions (--name VALUE or --name=VALUE; given twice, the last counts):\n",
         command->summary);
  int count = trm_cli_option_count(command);
  int keys = command->settings ? trm_key_count() : 0;
  for (int k = 0; k < count - keys; k++) print_option(trm_cli_option_get(command, k));
  if (keys) puts("\nsettings, in place of those under `simulate:` in the model:");
  for (int k = count - keys; k < count; k++) {
    trm_cli_option key = trm_cli_option_get(command, k);
    if (!trm_cli_owns(command, key.name)) print_option(key);
  }
  if (command->notes) printf("\n%s", command->notes);
}

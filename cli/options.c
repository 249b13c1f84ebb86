/* Parsing the command line: one table for all options of a command, its own and the keys. */
#define _XOPEN_SOURCE 700
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const trm_cli_option set_option = {"set", 0, "NAME=VALUE",
                                          "give a parameter of the model another value"};
static const trm_cli_option input_option = {
    "input", 0, "NAME=VALUE",
    "give an input a formula of t, or a file (.csv, columns t and NAME): linear between its rows, "
    "held outside"};
static const trm_cli_option help_option = {"help", 'h', NULL, "print this and stop"};

static int own_count(const trm_cli_command *command) {
  int count = 0;
  while (command->options[count].name) count++;
  return count;
}

bool trm_cli_owns(const trm_cli_command *command, const char *name) {
  for (int k = 0; command->options[k].name; k++)
    if (strcmp(command->options[k].name, name) == 0) return true;
  return false;
}

int trm_cli_option_count(const trm_cli_command *command) {
  return own_count(command) + 1 + (command->settings ? 2 + trm_key_count() : 0);
}

/* The command's own, --help, then --set, --input and the keys. */
trm_cli_option trm_cli_option_get(const trm_cli_command *command, int index) {
  int own = own_count(command);
  if (index < own) return command->options[index];
  if (index == own) return help_option;
  if (index == own + 1) return set_option;
  if (index == own + 2) return input_option;
  const trm_key *key = trm_key_get(index - own - 3);
  return (trm_cli_option){key->name, 0, key->argument, key->help};
}

const char *trm_cli_value(const trm_cli_arguments *arguments, const char *name) {
  for (int k = 0; k < arguments->option_count; k++)
    if (strcmp(trm_cli_option_get(arguments->command, k).name, name) == 0)
      return arguments->values[k];
  return NULL;
}

bool trm_cli_given(const trm_cli_arguments *arguments, const char *name) {
  return trm_cli_value(arguments, name) != NULL;
}

int trm_cli_values(const trm_cli_arguments *arguments, const char *name, const char **values) {
  int count = 0;
  for (int k = 0; k < arguments->all_count; k++) {
    if (strcmp(trm_cli_option_get(arguments->command, arguments->all[k]).name, name) != 0) continue;
    if (values) values[count] = arguments->all_values[k];
    count++;
  }
  return count;
}

static bool usage_error(const trm_cli_command *command) {
  fprintf(stderr, "usage: trammel %s%s%s\n", command->name, *command->usage ? " " : "",
          command->usage);
  fprintf(stderr, "'trammel %s --help' tells more\n", command->name);
  return false;
}

static bool unknown_option(const trm_cli_arguments *arguments, const char *word, size_t length) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word);
  const char **names = calloc((size_t)arguments->option_count, sizeof *names);
  if (!names) return false;
  for (int k = 0; k < arguments->option_count; k++)
    names[k] = trm_cli_option_get(arguments->command, k).name;
  /* a single dash before a long name is the commonest slip */
  const char *nearest = trm_cli_nearest(name + strspn(name, "-"), names, arguments->option_count);
  free(names);
  if (nearest)
    trm_cli_error("unknown option '%s'; did you mean '--%s'?", name, nearest);
  else
    trm_cli_error("unknown option '%s'", name);
  return usage_error(arguments->command);
}

/* The last --set of a parameter counts, as with every other option. */
static bool add_set(trm_cli_arguments *arguments, const char *text) {
  size_t length = strcspn(text, "=");
  if (length == 0 || text[length] == 0) {
    trm_cli_error("--set takes NAME=VALUE, not '%s'", text);
    return usage_error(arguments->command);
  }
  for (int k = 0; k < arguments->set_count; k++)
    if (strncmp(arguments->sets[k], text, length + 1) == 0) {
      arguments->sets[k] = text;
      return true;
    }
  arguments->sets[arguments->set_count++] = text;
  return true;
}

/* As the library takes it: "inputs.NAME=…", a file by its whole path, for it looks beside the
 * model. */
static bool add_input(trm_cli_arguments *arguments, const char *text) {
  size_t name = strcspn(text, "="), length = strlen(text);
  if (name == 0 || name + 1 >= length) {
    trm_cli_error("--input takes NAME=FORMULA or NAME=FILE.csv, not '%s'", text);
    return usage_error(arguments->command);
  }
  bool file = length - name > 5 && strcmp(text + length - 4, ".csv") == 0;
  const char *value = text + name + 1;
  /* not the file's own real path: a link is known by its own ending */
  bool here = file && value[0] != '/' && access(value, F_OK) == 0;
  char *folder = here ? realpath(".", NULL) : NULL;
  size_t room = length + (folder ? strlen(folder) : 0) + 10;
  char *whole = here && !folder ? NULL : malloc(room);
  if (whole)
    snprintf(whole, room, "inputs.%.*s=%s%s%s", (int)name, text, folder ? folder : "",
             folder ? "/" : "", value);
  free(folder);
  if (!whole) {
    trm_cli_error("out of memory");
    return false;
  }
  arguments->inputs[arguments->input_count++] = whole;
  return add_set(arguments, whole);
}

static bool take(trm_cli_arguments *arguments, int index, const char *value) {
  const char *name = trm_cli_option_get(arguments->command, index).name;
  arguments->values[index] = value;
  arguments->all[arguments->all_count] = index;
  arguments->all_values[arguments->all_count++] = value;
  if (strcmp(name, "input") == 0 && !trm_cli_owns(arguments->command, name))
    return add_input(arguments, value);
  return strcmp(name, "set") != 0 || add_set(arguments, value);
}

static int find_long(const trm_cli_arguments *arguments, const char *name, size_t length) {
  for (int k = 0; k < arguments->option_count; k++) {
    const char *other = trm_cli_option_get(arguments->command, k).name;
    if (strlen(other) == length && memcmp(other, name, length) == 0) return k;
  }
  return -1;
}

static int find_letter(const trm_cli_arguments *arguments, char letter) {
  for (int k = 0; k < arguments->option_count; k++)
    if (trm_cli_option_get(arguments->command, k).letter == letter) return k;
  return -1;
}

/* One option at words[0]: -o V, -oV, --name V, --name=V or a flag. Words used, 0 where it is wrong.
 */
static int parse_option(trm_cli_arguments *arguments, char *const *words, int left) {
  const char *word = words[0], *value = NULL;
  bool is_long = word[1] == '-';
  /* "-output-step" must not become "-o utput-step" */
  if (!is_long && find_long(arguments, word + 1, strcspn(word + 1, "=")) >= 0) {
    unknown_option(arguments, word, strcspn(word, "="));
    return 0;
  }
  size_t length = is_long ? strcspn(word + 2, "=") : 1;
  int index = is_long ? find_long(arguments, word + 2, length) : find_letter(arguments, word[1]);
  bool flag = index >= 0 && !trm_cli_option_get(arguments->command, index).argument;
  if (index < 0 || (!is_long && flag && word[2])) {
    unknown_option(arguments, word, is_long ? length + 2 : strlen(word));
    return 0;
  }
  if (is_long && word[2 + length] == '=') value = word + 3 + length;
  if (!is_long && word[2]) value = word + 2;
  if (flag) {
    if (!value) return take(arguments, index, "") ? 1 : 0;
    trm_cli_error("option '%.*s' takes no value", (int)length + 2, word);
    usage_error(arguments->command);
    return 0;
  }
  if (value) return take(arguments, index, value) ? 1 : 0;
  /* a value may be negative, but another option is none */
  if (left > 1 && strncmp(words[1], "--", 2) != 0) return take(arguments, index, words[1]) ? 2 : 0;
  trm_cli_error("option '%s' needs a value (%s)", word,
                trm_cli_option_get(arguments->command, index).argument);
  usage_error(arguments->command);
  return 0;
}

static bool check_models(const trm_cli_arguments *arguments) {
  const trm_cli_command *command = arguments->command;
  if (trm_cli_given(arguments, "help")) return true;
  if (arguments->model_count < command->least_models) {
    trm_cli_error("the %s is missing", command->input ? command->input : "model file");
    return usage_error(command);
  }
  if (command->most_models >= 0 && arguments->model_count > command->most_models) {
    trm_cli_error("'%s' is one argument too many", arguments->models[command->most_models]);
    return usage_error(command);
  }
  return true;
}

bool trm_cli_parse(trm_cli_arguments *arguments, const trm_cli_command *command, int count,
                   char *const *words) {
  int options = trm_cli_option_count(command);
  *arguments = (trm_cli_arguments){.command = command, .option_count = options};
  arguments->word_count = count;
  arguments->words = words;
  /* values, models, sets and all values in one block */
  arguments->values = calloc((size_t)options + 3 * (size_t)count + 3, sizeof *arguments->values);
  arguments->inputs = calloc((size_t)count + 1, sizeof *arguments->inputs);
  arguments->all = calloc((size_t)count + 1, sizeof *arguments->all);
  if (!arguments->values || !arguments->inputs || !arguments->all) {
    trm_cli_error("out of memory");
    return false;
  }
  arguments->models = arguments->values + options;
  arguments->sets = arguments->models + count + 1;
  arguments->all_values = arguments->sets + count + 1;
  bool only_models = false;
  for (int k = 0; k < count;) {
    const char *word = words[k];
    if (!only_models && strcmp(word, "--") == 0) {
      only_models = true;
      k++;
    } else if (only_models || word[0] != '-' || word[1] == 0) {
      arguments->models[arguments->model_count++] = word;
      k++;
    } else {
      int used = parse_option(arguments, words + k, count - k);
      if (used == 0) return false;
      k += used;
    }
  }
  return check_models(arguments);
}

void trm_cli_release(trm_cli_arguments *arguments) {
  for (int k = 0; k < arguments->input_count; k++) free(arguments->inputs[k]);
  free(arguments->inputs);
  free(arguments->all);
  free(arguments->values);
}

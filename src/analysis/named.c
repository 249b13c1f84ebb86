/* Lists of names in messages. */
#include <string.h>

#include "analysis/assemble.h"

void trm_name_another(char names[TRM_NAMED_SIZE], const char *name) {
  size_t used = strlen(names), length = strlen(name);
  const char *comma = used > 0 ? ", " : "";
  for (const char *at = strstr(names, name); at; at = strstr(at + 1, name)) {
    bool begins = at == names || at[-1] == ' ', ends = at[length] == ',' || at[length] == '\0';
    if (begins && ends) return;
  }
  bool full = used >= 3 && strcmp(names + used - 3, "...") == 0;
  if (full) return;
  if (used + length + 8 > TRM_NAMED_SIZE) comma = ", ", name = "...";
  strcat(strcat(names, comma), name);
}

/* Collecting messages and writing them like a compiler does. */
#include "base/diagnostics.h"
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_SOURCE = 400 }; /* a file may be one line of 100 MB */

struct trm_diagnostics {
  trm_arena *arena; /* the texts; created with the first message */
  trm_diagnostic *items;
  int count, capacity, errors;
  bool lost; /* there was no memory for a message: the last one says so */
  trm_locator locator;
  void *context;
};

static const trm_diagnostic no_memory = {.severity = TRM_ERROR, .message = "out of memory"};

trm_diagnostics *trm_diagnostics_create(void) {
  return calloc(1, sizeof(trm_diagnostics));
}

void trm_diagnostics_destroy(trm_diagnostics *diagnostics) {
  if (!diagnostics) return;
  trm_arena_destroy(diagnostics->arena);
  free(diagnostics->items);
  free(diagnostics);
}

void trm_diagnostics_clear(trm_diagnostics *diagnostics) {
  if (!diagnostics) return;
  trm_arena_destroy(diagnostics->arena);
  diagnostics->arena = NULL;
  diagnostics->count = diagnostics->errors = 0;
  diagnostics->lost = false;
}

int trm_diagnostics_count(const trm_diagnostics *diagnostics) {
  return diagnostics ? diagnostics->count + diagnostics->lost : 0;
}

int trm_diagnostics_errors(const trm_diagnostics *diagnostics) {
  return diagnostics ? diagnostics->errors + diagnostics->lost : 0;
}

const trm_diagnostic *trm_diagnostics_get(const trm_diagnostics *diagnostics, int index) {
  if (index < 0 || index >= trm_diagnostics_count(diagnostics)) return NULL;
  return index < diagnostics->count ? &diagnostics->items[index] : &no_memory;
}

void trm_diagnostics_set_locator(trm_diagnostics *diagnostics, trm_locator locator, void *context) {
  if (!diagnostics) return;
  diagnostics->locator = locator;
  diagnostics->context = context;
}

/* What the user wrote goes to a terminal: control characters must not reach it. */
static void make_printable(char *text, bool keep_tabs) {
  for (; text && *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '\n' || (c == '\t' && !keep_tabs))
      *text = ' ';
    else if ((c < 0x20 && c != '\t') || c == 0x7f)
      *text = '?';
  }
}

static char *copy_source(trm_arena *arena, const char *source) {
  if (!source) return NULL;
  size_t length = 0;
  while (length < LONGEST_SOURCE && !strchr("\r\n", source[length])) length++;
  /* never cut a UTF-8 character in two */
  if (length == LONGEST_SOURCE)
    while (length > 0 && ((unsigned char)source[length] & 0xc0) == 0x80) length--;
  char *copy = trm_arena_substring(arena, source, length);
  make_printable(copy, true);
  return copy;
}

static char *print_message(trm_arena *arena, const char *path, const char *from, const char *format,
                           va_list args) {
  static const char included[] = " (included from )";
  va_list again;
  va_copy(again, args);
  int printed = vsnprintf(NULL, 0, format, args);
  size_t lead = path ? strlen(path) + 2 : 0, length = printed > 0 ? (size_t)printed : 0;
  size_t size = lead + length + (from ? strlen(from) + sizeof included : 0) + 1;
  char *message = trm_arena_alloc(arena, size, 1);
  if (message) {
    if (path) snprintf(message, size, "%s: ", path);
    vsnprintf(message + lead, size - lead, format, again);
    if (from) snprintf(message + lead + length, size - lead - length, " (included from %s)", from);
    make_printable(message, false);
  }
  va_end(again);
  return message;
}

static bool make_room(trm_diagnostics *diagnostics) {
  if (!diagnostics->arena) diagnostics->arena = trm_arena_create();
  if (!diagnostics->arena) return false;
  if (diagnostics->count < diagnostics->capacity) return true;
  int capacity = diagnostics->capacity ? 2 * diagnostics->capacity : 16;
  trm_diagnostic *items =
      realloc(diagnostics->items, (size_t)capacity * sizeof *diagnostics->items);
  if (!items) return false;
  diagnostics->items = items;
  diagnostics->capacity = capacity;
  return true;
}

static void add(trm_diagnostics *diagnostics, trm_severity severity, trm_place place,
                const char *path, const char *format, va_list args) {
  if (severity == TRM_ERROR) diagnostics->errors++;
  trm_arena *arena = make_room(diagnostics) ? diagnostics->arena : NULL;
  const char *message = arena ? print_message(arena, path, place.from, format, args) : NULL;
  if (!message) {
    diagnostics->lost = true;
    return;
  }
  diagnostics->items[diagnostics->count++] =
      (trm_diagnostic){.severity = severity,
                       .file = trm_arena_string(arena, place.file),
                       .line = place.line,
                       .column = place.column,
                       .message = message,
                       .source = copy_source(arena, place.source)};
}

void trm_report(trm_diagnostics *diagnostics, trm_severity severity, const char *format, ...) {
  if (!diagnostics) return;
  va_list args;
  va_start(args, format);
  add(diagnostics, severity, (trm_place){0}, NULL, format, args);
  va_end(args);
}

void trm_report_path(trm_diagnostics *diagnostics, trm_severity severity, const char *path,
                     size_t offset, const char *format, ...) {
  if (!diagnostics) return;
  trm_place place = {0};
  if (diagnostics->locator) place = diagnostics->locator(diagnostics->context, path, offset);
  va_list args;
  va_start(args, format);
  add(diagnostics, severity, place, place.file ? NULL : path, format, args);
  va_end(args);
}

void trm_report_place(trm_diagnostics *diagnostics, trm_severity severity, trm_place place,
                      const char *format, ...) {
  if (!diagnostics) return;
  va_list args;
  va_start(args, format);
  add(diagnostics, severity, place, NULL, format, args);
  va_end(args);
}

/* Like snprintf at an offset: `used` grows by what was needed, whether it fitted or not. */
__attribute__((format(printf, 4, 5))) static void append(char *text, size_t size, size_t *used,
                                                         const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t left = *used < size ? size - *used : 0;
  int length = vsnprintf(left ? text + *used : NULL, left, format, args);
  if (length > 0) *used += (size_t)length;
  va_end(args);
}

/* The column counts characters, not bytes; a tab stays a tab so that the caret stays under its
 * place. */
static void append_caret(char *text, size_t size, size_t *used, const trm_diagnostic *diagnostic) {
  const char *s = diagnostic->source;
  append(text, size, used, "  ");
  for (int column = 1; column < diagnostic->column; column++) {
    append(text, size, used, "%c", *s == '\t' ? '\t' : ' ');
    if (*s) s++;
    while (((unsigned char)*s & 0xc0) == 0x80) s++;
  }
  append(text, size, used, "^\n");
}

size_t trm_diagnostic_format(const trm_diagnostic *diagnostic, char *text, size_t size) {
  static const char *const names[] = {"note", "warning", "error"};
  size_t used = 0;
  if (diagnostic->file) append(text, size, &used, "%s:", diagnostic->file);
  if (diagnostic->line > 0) append(text, size, &used, "%d:", diagnostic->line);
  if (diagnostic->line > 0 && diagnostic->column > 0)
    append(text, size, &used, "%d:", diagnostic->column);
  append(text, size, &used, "%s%s: %s\n", used ? " " : "", names[diagnostic->severity],
         diagnostic->message);
  if (diagnostic->source && *diagnostic->source) {
    append(text, size, &used, "  %s\n", diagnostic->source);
    if (diagnostic->column > 0 && diagnostic->column <= LONGEST_SOURCE)
      append_caret(text, size, &used, diagnostic);
  }
  return used;
}

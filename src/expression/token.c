/* Cutting a formula into tokens. */
#include "expression/token.h"

#include "expression/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* isalpha and its kin follow the locale; names do not. */
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '.';
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t count_digits(const char *text) {
  size_t n = 0;
  while (is_digit(text[n])) n++;
  return n;
}

size_t trm_number_read(const char *text, double *value) {
  size_t whole = count_digits(text), length = whole, fraction = 0;
  if (text[length] == '.') {
    fraction = count_digits(text + length + 1);
    length += 1 + fraction;
  }
  if (whole + fraction == 0) return 0;
  if (text[length] == 'e' || text[length] == 'E') {
    size_t sign = text[length + 1] == '-' || text[length + 1] == '+';
    size_t digits = count_digits(text + length + 1 + sign);
    if (digits > 0) length += 1 + sign + digits;
  }
  /* strtod would read on in hexadecimal, nan or a word glued to the number */
  if (is_word(text[length])) return 0;
  *value = strtod(text, NULL);
  return length;
}

static bool fail(trm_expression_error *error, size_t offset, const char *text, size_t length,
                 const char *what) {
  error->offset = offset;
  snprintf(error->message, sizeof error->message, "'%.*s%s' %s", length > 40 ? 40 : (int)length,
           text + offset, length > 40 ? "..." : "", what);
  return false;
}

static bool read_number(const char *text, trm_token *token, trm_expression_error *error) {
  const char *start = text + token->offset;
  token->kind = TRM_TOKEN_NUMBER;
  token->length = trm_number_read(start, &token->value);
  size_t word = token->length;
  while (is_word(start[word])) word++;
  if (token->length == 0) {
    size_t digits = strspn(start, "0123456789.");
    bool unit = digits < word && digits + trm_unit_length(start + digits) >= word;
    return fail(error, token->offset, text, word,
                unit ? "is not a number: between a number and its unit there is a blank, as in 2 mm"
                     : "is not a number: numbers are decimal, and a product is written 2*x");
  }
  if (isinf(token->value)) return fail(error, token->offset, text, word, "is too large a number");
  size_t blanks = strspn(start + token->length, " ");
  size_t unit = blanks > 0 ? trm_unit_length(start + token->length + blanks) : 0;
  if (unit > 0) token->kind = TRM_TOKEN_QUANTITY, token->length += blanks + unit;
  return true;
}

static int keyword(const char *word, size_t length) {
  if (length == 3 && memcmp(word, "and", 3) == 0) return TRM_TOKEN_AND;
  if (length == 2 && memcmp(word, "or", 2) == 0) return TRM_TOKEN_OR;
  if (length == 3 && memcmp(word, "not", 3) == 0) return TRM_TOKEN_NOT;
  return TRM_TOKEN_NAME;
}

static void read_name(const char *start, trm_token *token) {
  size_t n = 1;
  while (is_word(start[n])) n++;
  while (start[n] == '\'') n++; /* a prime marks a velocity */
  token->kind = keyword(start, n);
  token->length = n;
}

static bool read_string(const char *text, trm_token *token, trm_expression_error *error) {
  const char *start = text + token->offset;
  const char *end = strchr(start + 1, *start);
  if (!end) {
    error->offset = token->offset;
    snprintf(error->message, sizeof error->message, "the quotes opened here are not closed");
    return false;
  }
  token->kind = TRM_TOKEN_STRING;
  token->offset++;
  token->length = (size_t)(end - start) - 1;
  return true;
}

/* What users of other languages write, and what it is called here. */
static const char *hint(const char *start) {
  static const struct {
    const char *foreign, *hint;
  } hints[] = {{"**", "is not an operator: a power is written x^2"},
               {"&", "is not an operator: write 'and'"},
               {"|", "is not an operator: write 'or'"},
               {"!", "is not an operator: write 'not'"},
               {"=", "is not an operator: a comparison is written '=='"},
               {"\xE2\x88\x92", "is not an operator: write '-'"},
               {"\xC2\xB7", "is not an operator: write '*'"},
               {"\xC3\x97", "is not an operator: write '*'"}};
  for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
    if (strncmp(start, hints[i].foreign, strlen(hints[i].foreign)) == 0) return hints[i].hint;
  return "does not belong in an expression";
}

/* Bytes of the character at `start`, so that a message never cuts a letter in two. */
static size_t character_length(const char *start) {
  size_t n = 1;
  while (n < 4 && ((unsigned char)start[n] & 0xC0) == 0x80) n++;
  return n;
}

static bool refuse_character(const char *text, size_t offset, trm_expression_error *error) {
  const char *start = text + offset;
  unsigned char first = (unsigned char)*start;
  size_t length = character_length(start);
  if (first >= ' ' && first != 0x7F && (first < 0x80 ? length == 1 : length > 1))
    return fail(error, offset, text, strncmp(start, "**", 2) == 0 ? 2 : length, hint(start));
  error->offset = offset;
  snprintf(error->message, sizeof error->message, "byte 0x%02X does not belong in an expression",
           (unsigned)first);
  return false;
}

static int two_characters(const char *start) {
  if (start[0] == '\0' || start[1] != '=') return 0;
  switch (start[0]) {
  case '<': return TRM_TOKEN_LESS_EQUAL;
  case '>': return TRM_TOKEN_GREATER_EQUAL;
  case '=': return TRM_TOKEN_EQUAL;
  case '!': return TRM_TOKEN_NOT_EQUAL;
  default: return 0;
  }
}

static bool read_operator(const char *text, trm_token *token, trm_expression_error *error) {
  const char *start = text + token->offset;
  int two = two_characters(start);
  token->length = two ? 2 : 1;
  token->kind = two ? two : *start;
  bool known = two || (strchr("+-*/^(),<>", *start) && strncmp(start, "**", 2) != 0);
  return known || refuse_character(text, token->offset, error);
}

bool trm_token_read(const char *text, size_t offset, trm_token *token,
                    trm_expression_error *error) {
  while (is_blank(text[offset])) offset++;
  char c = text[offset];
  *token = (trm_token){.kind = TRM_TOKEN_END, .offset = offset};
  if (c == '\0') return true;
  if (is_digit(c) || c == '.') return read_number(text, token, error);
  if (c == '"' || c == '\'') return read_string(text, token, error);
  if (!is_letter(c)) return read_operator(text, token, error);
  read_name(text + offset, token);
  return true;
}

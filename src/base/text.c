/* Names and spelling suggestions. ASCII by hand: the locale must not change what a name is. */
#include "base/text.h"

#include <string.h>

enum { LONGEST = 64 }; /* longer words get no suggestion; keeps the table on the stack */

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool trm_is_name(const char *text, size_t length) {
  if (!text || length == 0 || !is_letter(text[0])) return false;
  for (size_t i = 1; i < length; i++)
    if (!is_letter(text[i]) && !is_digit(text[i]) && text[i] != '_') return false;
  return true;
}

static char fold(char c) {
  return (c >= 'A' && c <= 'Z') ? (char)(c - 'A' + 'a') : c;
}

static int min_int(int a, int b) {
  return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours, case aside. */
static int edit_distance(const char *a, int la, const char *b, int lb) {
  int rows[3][LONGEST + 1];
  int *before = rows[0], *last = rows[1], *row = rows[2];
  for (int j = 0; j <= lb; j++) before[j] = last[j] = j;
  for (int i = 1; i <= la; i++) {
    row[0] = i;
    for (int j = 1; j <= lb; j++) {
      bool same = fold(a[i - 1]) == fold(b[j - 1]);
      row[j] = min_int(last[j - 1] + !same, min_int(last[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]))
        row[j] = min_int(row[j], before[j - 2] + 1);
    }
    int *oldest = before;
    before = last, last = row, row = oldest;
  }
  return last[lb];
}

const char *trm_nearest(const char *word, const char *const *candidates, int count) {
  size_t length = strlen(word);
  if (length > LONGEST) return NULL;
  const char *best = NULL;
  int best_distance = LONGEST;
  for (int k = 0; k < count; k++) {
    size_t other = strlen(candidates[k]);
    if (other > LONGEST) continue;
    int distance = edit_distance(word, (int)length, candidates[k], (int)other);
    /* one slip in three letters: "vx" is no misspelt "vy", "mas" is a misspelt "mass" */
    if (distance > (int)(length > other ? length : other) / 3) continue;
    if (distance < best_distance) best = candidates[k], best_distance = distance;
  }
  return best;
}

size_t trm_utf8_length(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  if (s[0] < 0x80) return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
  size_t length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  for (size_t k = 1; k < length; k++)
    if ((s[k] & 0xc0) != 0x80) return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
  return length;
}

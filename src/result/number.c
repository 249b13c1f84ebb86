/* Seventeen digits ten times as fast as printf: a table is mostly numbers, and printf took longer
 * than the run that made them. */
#include "result/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { DIGITS = 17, EXACT = 27 };

static const int64_t least = 10000000000000000; /* the smallest integer of 17 digits */

/* Exact where a long double holds 64 bits. */
static const long double powers[EXACT + 1] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                              1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                              1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                              1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* 10^27 to the index: rounded, but for the first two. */
static const long double leaps[] = {1e0L,   1e27L,  1e54L,  1e81L,  1e108L, 1e135L, 1e162L,
                                    1e189L, 1e216L, 1e243L, 1e270L, 1e297L, 1e324L};

/* x 10^power in at most three roundings, for every double */
static long double scaled(double x, int power) {
  int size = power < 0 ? -power : power;
  long double leap = leaps[size / EXACT], rest = powers[size % EXACT];
  return power < 0 ? x / leap / rest : x * leap * rest;
}

/* ⌊log₁₀ x⌋ or one less */
static int estimate_exponent(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int binary = (int)(bits >> 52) - 1023;
  return (int)(binary * 0.30102999566398120 + 1000) - 1000;
}

/* x 10^power rounded to an integer, power from 0 to 27: m 5^power 2^(e + power) is exact in 128
 * bits.
 */
static int64_t scale_exactly(double x, int power) {
  static const uint64_t fives[EXACT + 1] = {1u,
                                            5u,
                                            25u,
                                            125u,
                                            625u,
                                            3125u,
                                            15625u,
                                            78125u,
                                            390625u,
                                            1953125u,
                                            9765625u,
                                            48828125u,
                                            244140625u,
                                            1220703125u,
                                            6103515625u,
                                            30517578125u,
                                            152587890625u,
                                            762939453125u,
                                            3814697265625u,
                                            19073486328125u,
                                            95367431640625u,
                                            476837158203125u,
                                            2384185791015625u,
                                            11920928955078125u,
                                            59604644775390625u,
                                            298023223876953125u,
                                            1490116119384765625u,
                                            7450580596923828125u};
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int shift = 1075 - (int)(bits >> 52) - power;
  wide product = (wide)((bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52) * fives[power];
  if (shift <= 0) return (int64_t)(product << -shift);
  int64_t whole = (int64_t)(product >> shift);
  wide rest = product & (((wide)1 << shift) - 1), half = (wide)1 << (shift - 1);
  return whole + (rest > half || (rest == half && whole % 2)); /* to even */
}

/* The same for the others; −1 where it is not certain. */
static int64_t scale_nearly(double x, int power) {
  if (LDBL_MANT_DIG < 64 || x < DBL_MIN) return -1;
  long double y = scaled(x, power);
  int64_t whole = llrintl(y);
  /* the last bit of y is 1/128 at most, and each of three roundings half of it */
  return fabs((double)(y - (long double)whole)) > 0.5 - 1 / 64.0 ? -1 : whole;
}

/* x = digits 10^(exponent − 16), rounded; false where that is not certain. */
static bool find_digits(double x, uint64_t *digits, int *exponent) {
  int64_t whole = 10 * least;
  for (int k = estimate_exponent(x); whole >= 10 * least; k++) {
    int power = DIGITS - 1 - k;
    whole = power >= 0 && power <= EXACT ? scale_exactly(x, power) : scale_nearly(x, power);
    *exponent = k;
  }
  *digits = (uint64_t)whole;
  return whole >= least;
}

/* The last `count` digits of a number below 10^9, count even: short divisions by a constant. */
static void split(uint32_t number, int count, char *digits) {
  for (int i = count - 2; i >= 0; i -= 2, number /= 100) {
    uint32_t pair = number % 100;
    digits[i] = (char)('0' + pair / 10);
    digits[i + 1] = (char)('0' + pair % 10);
  }
}

/* Always copies as many bytes: what follows overwrites the rest. */
static char *put(char *to, const char *from, int count) {
  memcpy(to, from, DIGITS);
  return to + count;
}

static char *put_exponent(char *to, int exponent) {
  int size = exponent < 0 ? -exponent : exponent;
  *to++ = 'e';
  *to++ = exponent < 0 ? '-' : '+';
  if (size >= 100) *to++ = (char)('0' + size / 100);
  size %= 100;
  *to++ = (char)('0' + size / 10);
  *to++ = (char)('0' + size % 10);
  return to;
}

/* As %g does it: trailing zeros dropped, an exponent below 1e-4 and from 1e17 on. */
static char *put_digits(char *to, const char *digits, int count, int exponent) {
  bool scientific = exponent < -4 || exponent >= DIGITS;
  int before = scientific ? 1 : exponent + 1; /* the point */
  if (before <= 0) {
    to = put(to, "0.00000000000000000", 2 - before);
    return put(to, digits, count);
  }
  to = put(to, digits, before); /* with the zeros that stand there */
  if (count > before) {
    *to++ = '.';
    to = put(to, digits + before, count - before);
  }
  return scientific ? put_exponent(to, exponent) : to;
}

size_t trm_number_write(double value, char text[TRM_NUMBER_SIZE]) {
  uint64_t whole;
  int exponent, count = DIGITS;
  char digits[2 * DIGITS] = {0}, *end = text;
  if (value == 0) { /* many columns of a mechanism at rest */
    strcpy(text, signbit(value) ? "-0" : "0");
    return strlen(text);
  }
  if (isnan(value)) { /* printf may write -nan */
    strcpy(text, "nan");
    return strlen(text);
  }
  if (!isfinite(value) || !find_digits(fabs(value), &whole, &exponent))
    return (size_t)snprintf(text, TRM_NUMBER_SIZE, "%.17g", value);
  uint64_t high = whole / 100000000;
  split((uint32_t)(whole % 100000000), 8, digits + 9);
  split((uint32_t)(high % 100000000), 8, digits + 1);
  digits[0] = (char)('0' + high / 100000000);
  while (count > 1 && digits[count - 1] == '0') count--;
  if (value < 0) *end++ = '-';
  end = put_digits(end, digits, count, exponent);
  *end = 0;
  return (size_t)(end - text);
}

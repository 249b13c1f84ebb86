#!/usr/bin/env bash
# Every header alone, and a program, with a C++ compiler.
set -eu
command -v c++ >/dev/null || exit 77
include=$TRM_SOURCE_DIR/include
for header in "$include"/trammel/*.h; do
  echo "#include <trammel/$(basename "$header")>" >one.cc
  c++ -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only -I"$include" one.cc
done
cat >client.cc <<'END'
#include <trammel/trammel.h>

int main() {
  trm_results *results = trm_results_create();
  int columns = trm_results_columns(results);
  trm_results_destroy(results);
  return columns != 0 || trm_version()[0] == 0 || trm_jet_constant(2).f != 2;
}
END
c++ -std=c++11 -Wall -Wextra -pedantic -Werror -c -I"$include" client.cc -o client.o
nm -u client.o | grep -q ' trm_results_create$' # a C name

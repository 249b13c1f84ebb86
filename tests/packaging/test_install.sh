#!/usr/bin/env bash
# An installation serves users of pkg-config and of CMake, and holds only what it should.
set -eu
prefix=$PWD/prefix
rm -rf "$prefix" client build-client
cmake --install "$TRM_BUILD_DIR" --prefix "$prefix" >/dev/null

# sanitized libraries need a sanitized client
flags=$(sed -n 's/^CMAKE_C_FLAGS_DEBUG:[A-Z]*=//p' "$TRM_BUILD_DIR/CMakeCache.txt")
grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Debug' "$TRM_BUILD_DIR/CMakeCache.txt" || flags=
libdir=$(dirname "$(find "$prefix" -name libtrammel.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig
header=$prefix/include/trammel/version.h
version=$(sed -n 's/.*define TRM_VERSION "\(.*\)".*/\1/p' "$header")

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

mkdir client
cat >client/main.c <<'END'
#include <stdio.h>
#include <trammel/diagnostics.h>
#include <trammel/version.h>

int main(void) {
  trm_diagnostics *diagnostics = trm_diagnostics_create();
  int count = trm_diagnostics_count(diagnostics);
  trm_diagnostics_destroy(diagnostics);
  return count != 0 || puts(trm_version()) < 0;
}
END
cat >client/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(client C)
find_package(trammel 0.1 REQUIRED)
add_executable(shared main.c)
target_link_libraries(shared PRIVATE trammel::trammel)
add_executable(static main.c)
target_link_libraries(static PRIVATE trammel::static)
END

[ "$(pkg-config --modversion trammel)" = "$version" ] || fail "pkg-config knows another version"

# shellcheck disable=SC2046
cc $flags client/main.c $(pkg-config --cflags --libs trammel) -Wl,-rpath,"$libdir" -o client/by_pkg_config
[ "$(client/by_pkg_config)" = "$version" ] || fail "the program built through pkg-config"

# shellcheck disable=SC2046
cc $flags client/main.c $(pkg-config --cflags trammel) "$libdir/libtrammel.a" \
  $(pkg-config --static --libs trammel | sed 's/-ltrammel//') -o client/static
[ "$(client/static)" = "$version" ] || fail "the program linked statically"

cmake -S client -B build-client -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$flags" >/dev/null
cmake --build build-client >/dev/null
[ "$(build-client/shared)" = "$version" ] || fail "the program built through CMake"
[ "$(build-client/static)" = "$version" ] || fail "the program built through CMake, statically"

# exported: what is marked TRM_API, under one version node, and nothing else
symbols=$(nm -D --defined-only --with-symbol-versions "$libdir/libtrammel.so" | awk '$2 != "A" {print $3}')
odd=$(grep -v '^trm_[a-z0-9_]*@@TRAMMEL_0$' <<<"$symbols" | grep -v -e asan -e ubsan || true)
[ -z "$odd" ] || fail "exported by accident: $odd"
grep -q '^trm_version@@TRAMMEL_0$' <<<"$symbols" || fail "trm_version is not exported"
for internal in trm_arena_alloc trm_report; do
  if grep -q "^$internal@" <<<"$symbols"; then fail "$internal is exported"; fi
done
[ -e "$libdir/libtrammel.so.0" ] || fail "no libtrammel.so.0"

# every public header stands alone
for file in "$prefix"/include/trammel/*.h; do
  printf '#include <trammel/%s>\nint main(void);\n' "$(basename "$file")" |
    cc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -xc - ||
    fail "$(basename "$file") does not stand alone"
done

[ -s "$prefix/share/man/man1/trammel.1" ] || fail "no man page"
[ -s "$prefix/share/bash-completion/completions/trammel" ] || fail "no bash completion"
[ -d "$prefix/share/trammel/models" ] || fail "no models"
if [ -x "$TRAMMEL" ]; then
  "$prefix/bin/trammel" --version | grep -qF "$version" || fail "trammel --version"
fi

# what is installed may be moved and must not point into the source tree
for folder in src include cli build cmake; do
  if grep -rIlF "$TRM_SOURCE_DIR/$folder" "$prefix"; then fail "installed files name the source folder"; fi
done

#!/usr/bin/env bash
# The pages in Chromium; only where the page is built (the sanitized build has none).
set -eu
if grep -q '^TRM_PAGE:BOOL=OFF' "$TRM_BUILD_DIR/CMakeCache.txt"; then exit 77; fi
modules=$TRM_BUILD_DIR/tests/web
mkdir -p "$modules"
if [ ! -e "$modules/installed" ] || [ "$TRM_SOURCE_DIR/tests/web/package-lock.json" -nt "$modules/installed" ]; then
  cp "$TRM_SOURCE_DIR/tests/web/package.json" "$TRM_SOURCE_DIR/tests/web/package-lock.json" "$modules"
  if ! (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error); then
    if npm ping --fetch-retries=0 >/dev/null 2>&1; then exit 1; fi
    echo "npm reaches no registry: the pages are not tried in a browser"
    exit 77
  fi
  touch "$modules/installed"
fi
rm -rf runs
# one after the other: frames a second are counted
status=0
for file in "$TRM_SOURCE_DIR"/tests/web/test_*.mjs; do node "$file" || status=1; done
exit $status

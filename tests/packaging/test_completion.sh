#!/usr/bin/env bash
# Bash completion offers commands, options, methods and model files.
set -u # no -e: compopt fails outside of a completion, as it may
source "$TRM_SOURCE_DIR/scripts/completion/trammel.bash"

expect() { # expected words, then the command line; the last word is the one being completed
  local expected=$1
  shift
  COMP_WORDS=(trammel "$@") COMP_CWORD=$#
  _trammel
  if [ "${COMPREPLY[*]}" != "$expected" ]; then
    echo "FAILED: '$*' gives '${COMPREPLY[*]}', not '$expected'" >&2
    exit 1
  fi
}

rm -rf ./*
touch crank.yaml crank.txt
mkdir cradle
expect "run" r
expect "check" c
expect "rk4 rk6" run crank.yaml --integrator rk
expect "natural" run crank.yaml --coordinates n
expect "--stabilization --step" run --st
expect "--set" check --s
expect "" methods crank
expect "crank.yaml cradle" run cra
expect "cradle" run -o cra

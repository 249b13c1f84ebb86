#!/usr/bin/env bash
# Bash completion offers commands, options, methods and model files.
set -u # no -e: compopt fails outside of a completion, as it may
source "$TRM_SOURCE_DIR/scripts/completion/trammel.bash"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

complete_words() { # the command line; the last word is the one being completed
  COMP_WORDS=(trammel "$@") COMP_CWORD=$#
  _trammel "$TRAMMEL"
}

expect() { # expected words, then the command line
  local expected=$1
  shift
  complete_words "$@"
  [ "${COMPREPLY[*]}" = "$expected" ] || fail "'$*' gives '${COMPREPLY[*]}', not '$expected'"
}

rm -rf ./*
touch crank.yaml crank.txt crank.csv
mkdir cradle
expect "run resume response" r
expect "resume response" res
expect "check compare" c
expect "accuracy" a
expect "--help" --h
expect "rk4 rk6" accuracy crank.yaml --methods rk
expect "cradle" accuracy -o cra
expect "rk4 rk6" run crank.yaml --integrator rk
expect "natural" run crank.yaml --coordinates n
expect "rk4 rk6" check crank.yaml --integrator = rk
expect "mass none" bench --weighting =
expect "--stabilization --stepping --step" run --st
expect "--set" check --se
expect "--json" check --j
expect "--seconds --set" bench --se
expect "" run --step 1
expect "" bench --seconds 1
expect "--columns" compare crank.csv --c
expect "" compare --columns cra
expect "crank.csv cradle" compare cra
expect "" methods crank
expect "--help" methods --
expect "crank.yaml cradle" run cra
expect "crank.yaml cradle" run --quiet cra
expect "cradle" run -o cra
expect "cradle" run --output cra
expect "cradle" resume cra
expect "--checkpoint" resume --c

# names of the model at hand, of a run, and of the shipped models
cat >rod.yaml <<'END'
trammel: 1
space: planar
parameters: {length: 2, lag: 1, mass: 3}
bodies: {rod: {mass: mass, inertia: length}}
END
printf 't,rod.x,rod.B.x,rod.B.y\n0,1,2,3\n' >run.csv
expect "length= lag=" run rod.yaml --set l
expect "mass=" check rod.yaml --set m
expect "" run --set l
expect "rod rod.B rod.B.x rod.B.y rod.x" plot run.csv r
expect "rod.B rod.B.x rod.B.y" plot run.csv rod.B
expect "scotch_yoke screw_press" models sc

# every method of every key, wherever settings are options
methods=$("$TRAMMEL" methods)
for key in coordinates solver stabilization weighting integrator; do
  names=$(awk -v key="$key:" '$1 ~ /:$/ {on = $1 == key} on && /^[* ] [a-z]/ {print $1 == "*" ? $2 : $1}' <<<"$methods")
  [ "$(wc -w <<<"$names")" -ge 2 ] || fail "methods does not list those of $key"
  for command in run check bench; do
    expect "$(echo $names)" "$command" "--$key" ""
  done
done
touch crab.urdf crab.xml
expect "crab.urdf crab.xml" import crab

# bash completion for trammel; commands, options and methods are asked from the program itself

# "-o --output DIR" for each option of a command
_trammel_options() { # program, command and the option that changes it
  "$@" --help 2>/dev/null | awk '/^ +(-[a-z], +)?--[a-z]/ {
    line = ""
    for (k = 1; k <= NF && $k ~ /^-/; k++) { sub(",", "", $k); line = line $k " " }
    print line ($k ~ /^[A-Z]/ ? $k : "")
  }'
}

_trammel_methods() { # program, key
  "$1" methods 2>/dev/null | awk -v key="$2:" '
    /^[a-z-]+:/ { on = $1 == key }
    on && /^[* ] [a-z]/ { print ($1 == "*" ? $2 : $1) }'
}

_trammel_parameters() { # program and a model: NAME= of each
  "$1" check "$2" --json 2>/dev/null | awk '
    on && /}/ { exit }
    on { split($1, part, "\""); print part[2] "=" }
    /"parameters": {/ { on = 1 }'
}

_trammel_measures() { # a run: its columns, and what they stand under
  local table=$1
  if [ -d "$table" ]; then table=$table/results.csv; fi
  head -n 1 "$table" 2>/dev/null | tr ',' '\n' | awk '{ print; if (sub(/\.[^.]*$/, "")) print }' | sort -u
}

_trammel_model() { # the model file among the words, or nothing
  local word
  for word in "${COMP_WORDS[@]:2}"; do
    case $word in *.yaml | *.yml) if [ -f "$word" ]; then echo "$word" && return; fi ;; esac
  done
}

_trammel_files() { # word, endings
  local ending
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(
    for ending in $2; do compgen -f -X "!*.$ending" -- "$1"; done
    compgen -d -- "$1"
  )
}

_trammel() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local program=$1 command=${COMP_WORDS[1]} variant=() options argument words
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=$("$program" --help 2>/dev/null | awk '/^  trammel [a-z]+ / {print $2}')
    mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$word")
    return
  fi
  # bash takes --name=value apart
  if [ "$word" = = ]; then
    word=
  elif [ "$previous" = = ]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi

  if [[ $command == compare && " ${COMP_WORDS[*]} " == *" --methods "* ]]; then variant=(--methods); fi
  options=$(_trammel_options "$program" "$command" "${variant[@]}")
  argument=$(awk -v name="$previous" '{for (k = 1; k < NF; k++) if ($k == name && $NF !~ /^-/) print $NF}' <<<"$options")
  if [ "$previous" = --set ] && [ -n "$(_trammel_model)" ]; then
    compopt -o nospace 2>/dev/null
    words=$(_trammel_parameters "$program" "$(_trammel_model)")
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [ "$argument" = DIR ]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
  elif [ -n "$argument" ]; then
    if [ "$previous" = --methods ]; then previous=--integrator; fi
    words=$(_trammel_methods "$program" "${previous#--}")
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [[ $word == -* ]]; then
    words=$(awk '{for (k = 1; k <= NF; k++) if ($k ~ /^-/) print $k}' <<<"$options")
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [ "$command" = plot ] && [ "$COMP_CWORD" -gt 2 ]; then
    words=$(_trammel_measures "${COMP_WORDS[2]}")
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [[ $command == compare && ${#variant[@]} -eq 0 || $command == plot ]]; then
    _trammel_files "$word" "csv h5"
  elif [ "$command" = models ]; then
    words=$("$program" models 2>/dev/null | awk '{ print $1 }')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [ "$command" = resume ]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
  elif [ "$command" = film ]; then
    _trammel_files "$word" html
  elif [ "$command" = tire ]; then
    _trammel_files "$word" tir
  elif [ "$command" = import ]; then
    _trammel_files "$word" "urdf xml sdf"
  elif [ "$command" != methods ]; then
    _trammel_files "$word" "yaml yml"
  fi
}

complete -F _trammel trammel

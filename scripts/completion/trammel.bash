# bash completion for trammel

_trammel() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local commands="run check methods bench"
  local options="-o --set --json --quiet --no-report --coordinates --solver --stabilization
    --weighting --integrator --step --duration --output-step --tolerance --help"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$word")
    return
  fi

  local values=
  case $previous in
    --coordinates) values="natural angle" ;;
    --solver) values="auto udwadia-kalaba augmented" ;;
    --stabilization) values="direct none" ;;
    --weighting) values="mass none" ;;
    --integrator) values="euler rk4 rk6 ab2 ab3 ab4 ab5 ab6" ;;
    --set | --step | --duration | --output-step | --tolerance) return ;;
    -o)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      return
      ;;
  esac
  if [ -n "$values" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
  elif [[ $word == -* ]]; then
    case ${COMP_WORDS[1]} in
      run) ;;
      check) options="--set --help" ;;
      *) options="--help" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ ${COMP_WORDS[1]} != methods ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(
      compgen -f -X '!*.yaml' -- "$word"
      compgen -f -X '!*.yml' -- "$word"
      compgen -d -- "$word"
    )
  fi
}

complete -F _trammel trammel

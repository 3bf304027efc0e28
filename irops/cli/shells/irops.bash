# Completion of irops for bash 3.2 and newer.

_irops_list() { # sets words: those of a list
  case $1 in
@lists@
  esac
}

_irops_options() { # sets words: the options of a command
  case $1 in
@options@
  esac
}

_irops_kind() { # sets kind: how the value of an option, or an argument of a command, is completed
  case $1 in
@kinds@
  *) kind= ;;
  esac
}

_irops_paths() { # files of which the names end as given, and folders; all files if no ending is given
  local path paths IFS=$'\n'
  paths=($(compgen -f -- "$value"))
  ((${#paths[@]})) && compopt -o filenames 2>/dev/null # readline adds / to folders, and quotes
  for path in "${paths[@]}"; do
    local ending kept=$(( $# == 0 ))
    for ending; do [[ $path == *"$ending" ]] && kept=1; done
    if ((kept)) || [[ -d ${path/#\~\//$HOME/} ]]; then COMPREPLY+=("$path"); fi
  done
}

_irops_words() { # the words that begin with the value
  local IFS=$' \t\n'
  COMPREPLY+=($(compgen -W "$words" -- "$value"))
}

_irops_value() { # completes value, which is of a kind; before: what precedes it in its word
  local how=${kind%% *} words= rest=
  [[ $kind == *' '* ]] && rest=${kind#* }
  if [[ $rest == @* ]]; then
    _irops_list "${rest%% *}"
    [[ $rest == *' '* ]] && rest=${rest#* } || rest=
  elif [[ $how == word ]]; then
    words=$rest
  fi
  case $how in
  word) _irops_words ;;
  words)
    if [[ $value == *,* ]]; then before+=${value%,*},; value=${value##*,}; fi
    _irops_words
    ;;
  pair)
    [[ $value == *=* ]] && return
    _irops_words
    COMPREPLY=("${COMPREPLY[@]/%/=}")
    ;;
  path) _irops_paths $rest ;;
  named_path)
    [[ $value == *=* ]] || return
    before+=${value%%=*}=; value=${value#*=}
    _irops_paths $rest
    ;;
  folder)
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -d -- "$value"))
    ;;
  source)
    case $value in
    @prefixes@) before+=${value%%:*}:; value=${value#*:}; _irops_paths @models@ ;;
    *) _irops_words; _irops_paths $rest ;;
    esac
    ;;
  esac
}

_irops_line() { # sets line: the words up to the cursor, joined where bash splits at = and :
  local rest=$COMP_LINE i word
  line=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
      line+=("$word")
    else
      line[${#line[@]}-1]+=$word
    fi
    rest=${rest#"${rest%%[![:space:]]*}"}
    rest=${rest#"$word"}
  done
}

_irops() {
  local line value words kind= before= option= place=0 i word
  COMPREPLY=()
  _irops_line
  local last=$((${#line[@]} - 1)) command=${line[1]}
  value=${line[last]}
  if ((last == 1)); then
    _irops_list @commands
    [[ $value == -* ]] && words='--help --version'
    _irops_words
    return
  fi
  for ((i = 2; i < last; i++)); do
    word=${line[i]}
    if [[ -n $option && $word != -?* ]]; then option=; continue; fi
    option=
    case $word in
    -*=*) ;;
    -?*)
      _irops_kind "$command $word"
      [[ -n $kind ]] && option=$word
      ;;
    *) ((place++)) ;;
    esac
  done
  if [[ $value == --*=* ]]; then
    _irops_kind "$command ${value%%=*}"
    before=${value%%=*}=; value=${value#*=}
    _irops_value
  elif [[ $value == -* ]]; then
    _irops_options "$command"
    _irops_words
  else
    _irops_kind "$command ${option:-$place}"
    [[ -z $kind && -z $option ]] && _irops_kind "$command *"
    _irops_value
  fi
  # readline replaces what follows the last = or : of a word
  local whole=$before$value kept
  kept=${whole%"${whole##*[=:]}"}
  for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
    word=$before${COMPREPLY[i]}
    COMPREPLY[i]=${word#"$kept"}
  done
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=:] ]]; then compopt -o nospace 2>/dev/null; fi
}

complete -F _irops irops

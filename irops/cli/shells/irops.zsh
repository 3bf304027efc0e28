#compdef irops
# Completion of irops for zsh 5.

@lists@

_irops_models() { # the files of models that are named so, and folders
  _files "$@" -g '@models@'
}

_irops_pair() { # names of a list before =
  [[ $PREFIX == *=* ]] && return 1
  "$1" -S = -q
}

_irops_named_path() { # NAME=FILE
  compset -P 1 '*=' || return 1
  _files -g "$1"
}

_irops_source() {
  if compset -P '(@prefixes@)'; then
    _irops_models
  else
    _alternative 'sources:source:_irops_sources' 'files:stored values:_files -g "*.(npz|npy)"'
  fi
}

_irops_arguments() {
  case $1 in
@commands@
  help) _arguments -s -S '1:command:_irops_commands' ;;
  *) _message "unknown command $1" ;;
  esac
}

_irops() {
  local curcontext=$curcontext state state_descr line
  typeset -A opt_args
  _arguments -C '(- *)'{-h,--help}'[show this help message and exit]' '(- *)--version[show the version]' \
    '1:command:_irops_commands' '*::argument:->rest'
  [[ $state == rest ]] && _irops_arguments "$line[1]"
}

if [[ ${funcstack[1]} == _irops ]]; then # loaded from a folder of $fpath
  _irops "$@"
else # sourced
  compdef _irops irops
fi

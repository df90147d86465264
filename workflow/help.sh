#!/usr/bin/env bash
# Sourced by every other script before anything else: with --help or -h among the arguments it prints the
# head of that script, or of help_file where that is set, and nothing is done.
# With the shell alone: no program may be needed to read a help.
help_of() { # FILE: a script's comment, or a module's docstring
  local line
  while IFS= read -r line; do
    case $line in
      '#!'*) ;;
      '#'*)
        line=${line#\#}
        printf '%s\n' "${line# }"
        ;;
      '"""') return 0 ;;
      '"""'*) printf '%s\n' "${line#\"\"\"}" ;;
      *) case $1 in *.py) printf '%s\n' "$line" ;; *) return 0 ;; esac ;;
    esac
  done <"$1"
}

for help_word in "$@"; do
  case $help_word in
    -h | --help)
      help_of "${help_file:-workflow/${0##*/}}"
      exit 0
      ;;
  esac
done
unset help_word

#!/usr/bin/env bash
# Sourced by every other script before anything else: with --help or -h among the arguments it prints the
# comment at the head of that script, which is its help, and nothing is done.
# With the shell alone: no program may be needed to read a help.
help_of() { # SCRIPT
  local line
  while IFS= read -r line; do
    case $line in
      '#!'*) ;;
      '#'*)
        line=${line#\#}
        printf '%s\n' "${line# }"
        ;;
      *) return 0 ;;
    esac
  done <"$1"
}

for help_word in "$@"; do
  case $help_word in
    -h | --help)
      help_of "workflow/${0##*/}"
      exit 0
      ;;
  esac
done
unset help_word

#!/bin/sh
# Talking Stick in a status line: prints one line about the room of a directory. It reads two small files.
# line.sh tmux PID PANE: for the directory of a pane. line.sh claude: for the one that standard input names.
dir=@DIRECTORY@
case $1 in
tmux)
  # A path in a status line would be read by a shell, so tmux gives numbers only.
  if [ -d "/proc/$2/cwd/" ]; then
    place=/proc/$2/cwd
  else
    place=$(tmux display-message -p -t "$3" '#{pane_current_path}' 2>/dev/null)
  fi
  ;;
claude)
  place=.
  IFS= read -r json
  case $json in
  *'"current_dir":"/'*)
    named=${json#*'"current_dir":"'}
    named=${named%%'"'*}
    # A path with an escape in it is left to the directory that this command runs in.
    case $named in *\\*) ;; *) place=$named ;; esac
    ;;
  esac
  ;;
*) place=. ;;
esac
cd -P -- "$place" 2>/dev/null || exit 0
at=$(pwd -P && echo .)
at=${at%??}
rest=$at n=0
while [ "$rest" != "${rest#*/}" ]; do rest=${rest#*/} n=$((n + 1)); done
while [ -n "$at" ]; do
  if [ -f "$dir/$n$at" ]; then
    IFS=' ' read -r room <"$dir/$n$at"
    mail=
    [ -f "$dir/person" ] && IFS=' ' read -r mail <"$dir/person"
    printf '%s\n' "$room${room:+${mail:+ }}$mail"
    exit 0
  fi
  at=${at%/*} n=$((n - 1))
done

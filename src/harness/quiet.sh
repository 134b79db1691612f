# A plain file of ours. A planted link, a pipe or a directory is none.
is_plain() {
  [ -f "$1" ] && [ ! -L "$1" ]
}

# Of a prompt only the payload tells the turn and the directory. One read, which waits for nothing. If the payload is late
# for a second one, too, the program waits for it.
read_start() {
  for place in /usr/bin /bin /run/current-system/sw/bin; do
    [ ! -x "$place/dd" ] || break
  done
  for try in 1 2; do
    [ -n "$start" ] || start=$(
      export LC_ALL
      exec "$place/dd" bs=4096 count=1 iflag=nonblock status=none
    )
  done
}

# Sets `value` to a field of the payload's beginning. In JSON no other text looks like that.
find_field() {
  rest=${start#*\"$1\":\"}
  value=${rest%%\"*}
  [ "$rest" != "$start" ] && [ "$value" != "$rest" ] && is_word "$value"
}

is_word() {
  case $1 in '' | *[!A-Za-z0-9_:.-]*) return 1 ;; esac
}

# Whether one of these processes lives, or none is named. A process that has ended may wait for its parent.
is_served() {
  [ -n "$1" ] || return 0
  for pid in $1; do
    stat=
    read -r stat <"/proc/$pid/stat"
    case $stat in '' | *') Z '*) ;; *) return 0 ;; esac
  done
  return 1
}

# Answers a prompt or the end of a turn for a session that has nothing to do: notes `busy` or `idle`, and starts no program.
# Fails if the program must look, and for whatever is odd. The marks and notes: src/platform/agents/quiet-files.ts.
is_quiet() {
  read_uptime
  [ -n "$boot" ] || return 1
  field= id=
  case $1 in
  @TURN_FIELDS@
  esac
  case $1 in
  @SESSION_IDS@
  *)
    read_start
    find_field session_id && id=$value
    ;;
  esac
  case $id in '' | *[!A-Za-z0-9_-]*) return 1 ;; esac

  mark=$data/quiet/mark/$id
  is_plain "$mark" || return 1
  { read -r until booted caller permit word turn && read -r cwd && read -r servers; } <"$mark" || return 1
  now=${up%%.*}
  [ "$booted" = "$boot" ] && [ "$caller" = "$PPID.@VERSION@" ] && [ -n "$word" ] &&
    [ "$now" -lt "$until" ] && [ "$until" -le $((now + 300)) ] || return 1
  case $permit in */*) return 1 ;; esac
  is_word "$turn" && is_served "$servers" || return 1

  # What was told last names the turn that goes on.
  told=$data/quiet/told/$id state= since= epoch= known=
  if [ -e "$told" ] || [ -L "$told" ]; then
    is_plain "$told" || return 1
    read -r state since epoch known <"$told"
    [ "$epoch" != "$boot" ] || ! is_word "$known" || turn=$known
  fi
  case $2 in
  stop) state=idle ;;
  *)
    state=busy
    if [ -n "$field" ]; then
      [ -n "$start" ] || read_start
      find_field session_id && [ "$value" = "$id" ] && find_field "$field" || return 1
      case $start in
      *"\"cwd\":$cwd"[,}]*) ;;
      *) return 1 ;;
      esac
      [ "$value" != "$turn" ] || state=
      turn=$value
    fi
    ;;
  esac
  # A subagent tells nothing of the session. At the end of a turn, only what was read already shows that.
  case $start in *\"agent_id\":*) return 1 ;; esac

  # The flag and the permit are looked at last.
  [ ! -e "$data/flags/$id" ] && is_plain "$data/quiet/permit/$permit" &&
    read -r given <"$data/quiet/permit/$permit" && [ "$given" = "$word" ] || return 1
  # Text that is typed into a turn begins none.
  [ -n "$state" ] || return 0
  # Not truncated first: a concurrent reader sees the old note or the new one.
  printf '%s %s %s %s\n' "$state" "$up" "$boot" "$turn" 1<>"$told" || return 1
  # No hook may follow for long. Mail that came before the note was sent to a busy session, which is not woken.
  [ "$2" != stop ] || [ ! -e "$data/flags/$id" ]
}

#!/bin/sh
# talking-stick @VERSION@
# A harness calls this for its hooks: tt-hook HARNESS EVENT, with its JSON on standard input.
# It never stands in an agent's way: whatever is missing or odd, it prints nothing and ends with 0.
# The hooks of tools run all the time. Without mail they leave a sign of life and start no program.
# Nor do most prompts and ends of turns, if the program has found nothing to do a short while ago.
# The event "guard" asks whether a tool may write. The holder of the stick has a pass, which this script reads by itself.
# Only the program refuses: then this script ends with 2, and the reason is on standard error, too.

# The guard let a tool pass that it could not judge. Only a plain file is written, and it stays short.
note() {
  log=$data/hook.log date=
  for place in /usr/bin /bin /run/current-system/sw/bin; do
    [ -n "$date" ] || [ ! -x "$place/date" ] || date=$("$place/date" -u +%Y-%m-%dT%H:%M:%SZ)
  done
  [ -L "$log" ] || { [ -e "$log" ] && [ ! -f "$log" ]; } || (
    trap '' XFSZ
    ulimit -f 128
    printf '%s %s %s guard: %s\n' "$date" "$$" "$1" "$2" >>"$log"
  )
}

@GUARD_PASS@

@QUIET@

main() {
  umask 077
  LC_ALL=C
  data=$TT_DATA_DIR
  [ -n "$data" ] || data=@DATA_DIR@
  start= guarded=
  case $2 in
  guard)
    find_guarded
    [ -n "$guarded" ] || return 0
    ;;
  prompt | stop)
    # On a shared store, agents of other machines could not see what is noted here.
    case @SHARED_STORE@$TT_STORE in
    shared* | postgres*) ;;
    *) ! is_quiet "$1" "$2" || return 0 ;;
    esac
    ;;
  esac
  case $2 in
  pre-tool | post-tool | guard)
    case $1 in
    @SESSION_IDS@
    *)
      # Only its JSON tells, and its first field at that. One read: `read` would take a long line byte by byte.
      # A harness that says nothing is not waited for, where the system can see to that.
      # The path is not searched: it may lead into the working tree, where a file of that name is no program of ours.
      dd= timeout=
      for place in /usr/bin /bin /run/current-system/sw/bin; do
        [ -n "$dd" ] || [ ! -x "$place/dd" ] || dd=$place/dd
        [ -n "$timeout" ] || [ ! -x "$place/timeout" ] || timeout="$place/timeout 1"
      done
      if [ -n "$dd" ]; then
        start=$(exec $timeout "$dd" bs=64 count=1)
        if [ -z "$start" ]; then
          [ -z "$guarded" ] || note "$1" "standard input holds no payload"
          return 0
        fi
      fi
      id=${start#'{"session_id":"'}
      case $id in
      "$start") id= ;;
      *\"*) id=${id%%\"*} ;;
      *) id= ;;
      esac
      ;;
    esac
    case $id in
    # Anything odd is for a better reader.
    '' | *[!A-Za-z0-9_-]*) ;;
    *)
      read_uptime
      if [ -n "$guarded" ]; then
        has_pass && return 0
      else
        # Not truncated first: a concurrent reader sees the old sign or the new one.
        # A planted link is not followed.
        [ -L "$data/activity/$id" ] || printf '%s\n%s\n' "$up" "$boot" 1<>"$data/activity/$id"
        [ -e "$data/flags/$id" ] || return 0
      fi
      ;;
    esac
    ;;
  esac
  [ -x @NODE@ ] && [ -r @HOOK_PROGRAM@ ] || {
    [ -z "$guarded" ] || note "$1" "Node or the program of the hooks is missing"
    return 0
  }
  # These are meant for the program that the user runs, not for ours.
  unset NODE_OPTIONS
  TT_DATA_DIR=$data
  export TT_DATA_DIR
  @PINNED_ENV@
  # Certificates cost time, and only a store on another machine has a use for them.
  @CERTIFICATES@
  if [ -n "$start" ]; then
    # What was read already comes first; the rest is still where it was.
    exec 3<&0
    printf '%s' "$start" | @NODE@ @HOOK_PROGRAM@ "$1" "$2" "$PPID.@VERSION@" rest-in-3 3<&3
  else
    @NODE@ @HOOK_PROGRAM@ "$1" "$2" "$PPID.@VERSION@"
  fi
  code=$?
  [ -n "$guarded" ] || return 0
  # The one code that means: refused.
  [ "$code" -ne 22 ] || return 22
  [ "$code" -eq 0 ] || note "$1" "the program of the hooks ended with $code"
  return 0
}

main "$@" 4>&2 2>/dev/null
case $? in
0) ;;
22) exit 2 ;;
*)
  # Standard error is closed, and so main has not run. It runs without that.
  main "$@" 4>/dev/null 2>/dev/null
  [ $? -ne 22 ] || exit 2
  ;;
esac
exit 0

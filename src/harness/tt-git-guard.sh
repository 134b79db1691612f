#!/bin/sh
# talking-stick @VERSION@
# Git calls this as its hook: tt-git-guard HOOK [--after FILE] ARGUMENT…, where HOOK is reference-transaction or pre-rebase.
# It asks the program whether an agent may change refs. Without the variables of an agent's session it ends at once:
# a person is never refused. Whatever is missing or odd, the command of git goes on.
# FILE is the project's own hook, which runs first. What that says counts.

hook=$1
shift
after=
if [ "$1" = --after ]; then
  after=$2
  shift 2
fi

@GUARD_PASS@

# Whether the program has to be asked.
must_ask() {
  case $hook/$1 in
  reference-transaction/prepared | reference-transaction/committed | pre-rebase/*) ;;
  *) return 1 ;;
  esac
  marks= id=
  @SESSIONS@
  [ -n "$marks" ] || return 1
  find_guarded
  [ -n "$guarded" ] || return 1
  # The holder has a pass. The session is certain if only one harness has left its variables.
  case $marks/$id in
  ?/*[!A-Za-z0-9_-]* | ?/) ;;
  ?/*)
    read_uptime
    has_pass && return 1
    ;;
  esac
  [ -x @NODE@ ] && [ -r @HOOK_PROGRAM@ ]
}

# Ends with 1 if the command is refused. The project's own hook must not see what is set here.
ask() (
  umask 077
  # These are meant for the program that the user runs, not for ours.
  unset NODE_OPTIONS
  TT_DATA_DIR=$data
  export TT_DATA_DIR
  @PINNED_ENV@
  @CERTIFICATES@
  @NODE@ @HOOK_PROGRAM@ git "$hook" "$1" 4>&2 >/dev/null 2>&1
  # The one code that means: refused.
  [ $? -ne 22 ]
)

data=$TT_DATA_DIR
[ -n "$data" ] || data=@DATA_DIR@
[ -n "$after" ] && [ -x "$after" ] || after=

if ! must_ask "$@" 2>/dev/null; then
  [ -z "$after" ] || exec "$after" "$@"
  exit 0
fi
if [ -z "$after" ]; then
  ask "$@" || exit 1
  exit 0
fi
if [ "$hook" = pre-rebase ]; then
  "$after" "$@" || exit
  ask "$@" </dev/null || exit 1
  exit 0
fi
# Both want the refs. The path is not searched: it may lead into the working tree.
cat=
for place in /usr/bin /bin /run/current-system/sw/bin; do
  [ -n "$cat" ] || [ ! -x "$place/cat" ] || cat=$place/cat
done
[ -n "$cat" ] || exec "$after" "$@"
refs=$("$cat")
# Without refs, nothing at all.
refs=${refs:+"$refs
"}
printf '%s' "$refs" | "$after" "$@" || exit
printf '%s' "$refs" | ask "$@" || exit 1

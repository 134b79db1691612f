#!/bin/sh
# talking-stick @VERSION@
# Written by `tt install`; harnesses call it with their name and an event. Prints nothing of its own, always ends with 0.
node=@NODE@
program=@HOOK_PROGRAM@
[ -x "$node" ] && [ -r "$program" ] || exit 0
@PINNED_ENV@
unset NODE_EXTRA_CA_CERTS
"$node" "$program" "$1" "$2"
exit 0

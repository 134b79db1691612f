# Sets `guarded` to a guarded room, and `several` if there are more.
find_guarded() {
  guarded= several=
  for room in "$data"/guard/on/*; do
    # A process that was killed may have left a file beside the one that it wrote.
    case $room in *.tt-new-*) continue ;; esac
    [ -e "$room" ] || continue
    [ -z "$guarded" ] || several=1
    guarded=${room##*/}
  done
}

read_uptime() {
  up= rest= boot=
  read -r up rest </proc/uptime
  read -r boot </proc/sys/kernel/random/boot_id
}

# Whether the session `id` holds the stick of the only guarded room, by the pass that the program wrote.
has_pass() {
  room= turn= until= booted=
  [ -L "$data/guard/pass/$id" ] || read -r room turn until booted <"$data/guard/pass/$id"
  # The mark is looked for last. It is made before another agent can hold the stick.
  [ -z "$several" ] && [ "$room" = "$guarded" ] && [ -n "$boot" ] && [ "$booted" = "$boot" ] &&
    [ "${up%%.*}" -lt "$until" ] && [ ! -e "$data/guard/over/$room.$turn" ]
}

#compdef tt
# Completion of tt for zsh, after compinit: eval "$(tt completion zsh)"
_tt() {
  local line tab=$'\t'
  local -a lines found shown
  # A path may name a program of a checkout, which Tab must not run. So it never runs what was typed.
  [[ $words[1] == */* ]] && return 1
  lines=("${(@f)$(command tt complete-line -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    if [[ $line == :files* ]]; then
      _files
      return
    fi
    found+=("${line%%$tab*}")
    shown+=("${line%%$tab*}  ${line#*$tab}")
  done
  (($#found)) && compadd -l -d shown -a found
}
if [[ $funcstack[1] == _tt ]]; then _tt "$@"; else compdef _tt tt; fi

# Completion of tt for bash: eval "$(tt completion bash)"
_tt_completion() {
  local line=${COMP_LINE:0:COMP_POINT} typed word about colon= quoted
  local -a words
  IFS=$' \t' read -r -a words <<<"$line"
  case $line in *[[:blank:]]) words+=("") ;; esac
  typed=${words[${#words[@]} - 1]}
  # The part before a colon is a word of its own for bash, and stays as it is.
  case $COMP_WORDBREAKS in *:*) colon=${typed%"${typed##*:}"} ;; esac
  COMPREPLY=()
  # A path may name a program of a checkout, which Tab must not run. So it never runs what was typed.
  case ${words[0]} in */*) return ;; esac
  while IFS=$'\t' read -r word about; do
    case $word in
    :files)
      compopt -o default 2>/dev/null
      return
      ;;
    "$typed"*)
      printf -v quoted %q "${word#"$colon"}"
      COMPREPLY+=("$quoted")
      ;;
    esac
  done < <(command tt complete-line -- "${words[@]:1}" 2>/dev/null)
}
complete -F _tt_completion tt

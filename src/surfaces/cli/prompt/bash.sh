# Talking Stick in the prompt. It reads two small files and starts no program.
_tt_prompt() {
  local code=$? dir=@DIRECTORY@ at rest n=0 room= mail=
  # Only another directory is asked for its real path.
  if [[ $PWD != "${_tt_pwd-}" ]]; then
    _tt_pwd=$PWD _tt_real=$(pwd -P 2>/dev/null && echo .)
    _tt_real=${_tt_real%??}
  fi
  at=$_tt_real rest=$_tt_real _tt_line=
  while [[ $rest == */* ]]; do rest=${rest#*/} n=$((n + 1)); done
  while [[ -n $at ]]; do
    if [[ -f $dir/$n$at ]]; then
      IFS=' ' read -r room 2>/dev/null <"$dir/$n$at"
      [[ -f $dir/person ]] && IFS=' ' read -r mail 2>/dev/null <"$dir/person"
      room+=${room:+${mail:+ }}$mail
      _tt_line=${room:+[$room] }
      break
    fi
    at=${at%/*} n=$((n - 1))
  done
  return "$code"
}
# Each only once: a configuration may be read again, and set one of the two.
[[ ${PROMPT_COMMAND-} == *_tt_prompt* ]] || PROMPT_COMMAND=_tt_prompt${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
[[ ${PS1-} == *_tt_line* ]] || PS1='${_tt_line}'${PS1-}

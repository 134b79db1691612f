# Talking Stick in the prompt. It reads two small files and starts no program.
_tt_prompt() {
  emulate -L zsh
  local dir=@DIRECTORY@ at=${PWD:A} rest room= mail=
  local -i n=0
  rest=$at
  psvar[9]=
  while [[ $rest == */* ]]; do rest=${rest#*/} n=n+1; done
  while [[ -n $at ]]; do
    if [[ -f $dir/$n$at ]]; then
      IFS=' ' read -r room 2>/dev/null <$dir/$n$at
      [[ -f $dir/person ]] && IFS=' ' read -r mail 2>/dev/null <$dir/person
      room+=${room:+${mail:+ }}$mail
      psvar[9]=${room:+"[$room] "}
      break
    fi
    at=${at%/*} n=n-1
  done
}
# Each only once: a configuration may be read again, and set one of the two.
[[ " ${precmd_functions[*]-} " == *' _tt_prompt '* ]] || precmd_functions+=(_tt_prompt)
# The prompt shows this element as it is: nothing in it is expanded.
[[ $PROMPT == *'%9v'* ]] || PROMPT='%9v'$PROMPT

# Reads lines, presses Tab after each in an interactive zsh, and prints what the line became.
# Sourced functions and modules may lie outside the folders that zsh was built for.
module_path=($=ZSH_MODULES $module_path)
zmodload zsh/zpty || exit 1
zpty trial "$ZSH_TRIED -f -i"
tell() { zpty -w trial "$1" }
tell 'PROMPT= RPROMPT= PROMPT_EOL_MARK=; stty -echo'
tell "fpath=($ZSH_FUNCTIONS)"
tell 'autoload -Uz compinit && compinit -u -D'
tell 'show() { print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show'
tell 'bindkey "^X" show; bindkey "^I" complete-word'
tell "source $COMPLETION_SCRIPT; print READY"
while zpty -r trial said; do
  [[ $said == READY* ]] && break
done
while IFS= read -r line; do
  zpty -n -w trial "$line"$'\t\x18'
  while zpty -r trial said; do
    [[ $said == *'<<'*'>>'* ]] || continue
    print -r -- "${${said##*<<}%%>>*}"
    break
  done
done
zpty -d trial

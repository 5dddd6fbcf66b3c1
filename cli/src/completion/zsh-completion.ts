import { shellWord } from '../curl/curl-command.ts'
import { allNodes, type CommandNode } from './command-tree.ts'
import { completionCases, indented } from './completion-cases.ts'

/** The script for zsh, with descriptions; to be sourced, or kept as a file in `fpath`. */
export function zshCompletion(root: CommandNode): string {
  const { places, values } = completionCases(root)
  const name = `_${root.path}`
  const lists = allNodes(root).map((node) => {
    const words = [
      ...node.children.map(({ path, about }) => described(path.split(' ').at(-1) ?? '', about)),
      ...node.choices,
    ]
    const flags = node.flags.map(({ long, about }) => described(long, about))
    return `${shellWord(node.path)}) verbs=(${words.map(shellWord).join(' ')}); flags=(${flags.map(shellWord).join(' ')}) ;;`
  })
  return `#compdef ${root.path}
# Completion of ${root.path} for zsh: source <(${root.path} completion zsh)
${name}() {
  local place=${root.path} index choices='' is_value=''
  local -a verbs flags
  for ((index = 2; index < CURRENT; index++)); do
    case "$place \${words[index]}" in
${indented(places, '      ')}
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${indented(values, '    ')}
  esac
  case "$place" in
${indented(lists, '    ')}
  esac
  if [[ -n "$is_value" ]]; then
    if [[ -n "$choices" ]]; then compadd -- \${=choices}; else _files; fi
  elif [[ "\${words[CURRENT]}" == -* ]]; then _describe -o option flags
  elif (( $#verbs )); then _describe command verbs
  else _files
  fi
}
if [[ "\${funcstack[1]}" == ${name} ]]; then ${name} "$@"; else compdef ${name} ${root.path}; fi
`
}

/** `_describe` separates the word from its description by a colon. */
const described = (word: string, about: string): string =>
  `${word.replaceAll(':', '\\:')}:${about.replaceAll('\n', ' ')}`

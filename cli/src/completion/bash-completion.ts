import { shellWord } from '../curl/curl-command.ts'
import { allNodes, type CommandNode } from './command-tree.ts'
import { completionCases, indented, wordsBelow } from './completion-cases.ts'

/** The script for bash; files are completed where nothing else fits. */
export function bashCompletion(root: CommandNode): string {
  const { places, values } = completionCases(root)
  const words = allNodes(root).map(
    (node) =>
      `${shellWord(node.path)}) words=${shellWord(wordsBelow(node).join(' '))}; flags=${shellWord(node.flags.map(({ long }) => long).join(' '))} ;;`,
  )
  return `# Completion of ${root.path} for bash: source <(${root.path} completion bash)
_${root.path}() {
  local word=\${COMP_WORDS[COMP_CWORD]} place=${root.path} index words='' flags='' choices='' is_value=''
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$place \${COMP_WORDS[index]}" in
${indented(places, '      ')}
    esac
  done
  case "$place \${COMP_WORDS[COMP_CWORD - 1]}" in
${indented(values, '    ')}
  esac
  case "$place" in
${indented(words, '    ')}
  esac
  if [ -n "$is_value" ]; then words=$choices
  elif [ "\${word#-}" != "$word" ]; then words=$flags
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _${root.path} ${root.path}
`
}

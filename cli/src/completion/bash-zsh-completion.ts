import { shellWord } from '../curl/curl-command.ts'
import { allNodes, type CommandNode, namesOf, takesValue } from './command-tree.ts'

/** The script for bash; files are completed where nothing else fits. */
export function bashCompletion(root: CommandNode): string {
  const words = ({ children, choices, flags }: CommandNode) =>
    `words=${list([...children.flatMap(namesOf), ...choices])}; flags=${list(flags.map(({ long }) => long))}`
  return `# Completion of ${root.path} for bash: source <(${root.path} completion bash)
_${root.path}() {
  local word=\${COMP_WORDS[COMP_CWORD]} place=${root.path} index words='' flags='' choices='' is_value=''
${readPlace(root, { words: 'COMP_WORDS', first: 1, last: 'COMP_CWORD', cursor: 'COMP_CWORD - 1', offered: words })}
  if [ -n "$is_value" ]; then words=$choices
  elif [ "\${word#-}" != "$word" ]; then words=$flags
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _${root.path} ${root.path}
`
}

/** The script for zsh, with descriptions; to be sourced, or kept as a file in `fpath`. */
export function zshCompletion(root: CommandNode): string {
  const name = `_${root.path}`
  const words = ({ children, choices, flags }: CommandNode) => {
    const verbs = children.map((child) => described(child.command.name(), child.about))
    const about = flags.map(({ long, description }) => described(long, description))
    return `verbs=(${[...verbs, ...choices].map(shellWord).join(' ')}); flags=(${about.map(shellWord).join(' ')})`
  }
  return `#compdef ${root.path}
# Completion of ${root.path} for zsh: source <(${root.path} completion zsh)
${name}() {
  local place=${root.path} index choices='' is_value=''
  local -a verbs flags
${readPlace(root, { words: 'words', first: 2, last: 'CURRENT', cursor: 'CURRENT-1', offered: words })}
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

/**
 * What both begin with: which command the words before the cursor name (a place is its words without
 * flags, such as `trawl tasks list`), whether a value is to come, and what may stand at the place.
 */
function readPlace(
  root: CommandNode,
  shell: {
    words: string
    first: number
    last: string
    cursor: string
    offered(node: CommandNode): string
  },
): string {
  const nodes = allNodes(root)
  const places = nodes.flatMap(({ path, children }) =>
    children.flatMap((child) =>
      namesOf(child).map((name) => branch(`${path} ${name}`, `place=${shellWord(child.path)}`)),
    ),
  )
  const values = nodes.flatMap(({ path, flags }) =>
    flags.filter(takesValue).map(({ long, short, argChoices = [] }) => {
      const names = [long, ...(short ? [short] : [])].map((name) => shellWord(`${path} ${name}`))
      return `${names.join('|')}) choices=${list(argChoices)}; is_value=1 ;;`
    }),
  )
  const offered = nodes.map((node) => branch(node.path, shell.offered(node)))
  return `  for ((index = ${shell.first}; index < ${shell.last}; index++)); do
    case "$place \${${shell.words}[index]}" in
${indented(places, '      ')}
    esac
  done
  case "$place \${${shell.words}[${shell.cursor}]}" in
${indented(values, '    ')}
  esac
  case "$place" in
${indented(offered, '    ')}
  esac`
}

const branch = (words: string, act: string): string => `${shellWord(words)}) ${act} ;;`

const list = (words: readonly string[]): string => shellWord(words.join(' '))

const indented = (lines: readonly string[], indent: string): string =>
  lines.map((line) => indent + line).join('\n')

/** `_describe` separates the word from its description by a colon. */
const described = (word: string, about: string): string =>
  `${word.replaceAll(':', '\\:')}:${about.replaceAll('\n', ' ')}`

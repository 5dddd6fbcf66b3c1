import { allNodes, type CommandFlag, type CommandNode } from './command-tree.ts'

/** The script for fish, with descriptions. */
export function fishCompletion(root: CommandNode): string {
  const nodes = allNodes(root)
  const program = root.path
  const places = nodes.flatMap(({ path, children }) =>
    children.map((child) => {
      const words = [child.path.split(' ').at(-1) ?? '', ...child.aliases]
      const patterns = words.map((word) => fishWord(`${path} ${word}`)).join(' ')
      return `            case ${patterns}\n                set place ${fishWord(child.path)}`
    }),
  )
  return `# Completion of ${program} for fish: ${program} completion fish | source
function __${program}_at --argument-names wanted
    set -l place ${program}
    for word in (commandline --tokenize --cut-at-cursor --current-process)[2..-1]
        switch "$place $word"
${places.join('\n')}
        end
    end
    test "$place" = "$wanted"
end

complete --command ${program} --erase
${nodes.flatMap((node) => linesOf(node, program)).join('\n')}
`
}

function linesOf(node: CommandNode, program: string): string[] {
  const at = `complete --command ${program} --condition ${fishWord(`__${program}_at ${fishWord(node.path)}`)}`
  return [
    ...node.children.map(
      (child) =>
        `${at} --no-files --arguments ${fishWord(child.path.split(' ').at(-1) ?? '')} --description ${fishWord(child.about)}`,
    ),
    ...(node.choices.length > 0
      ? [`${at} --no-files --arguments ${fishWord(node.choices.join(' '))}`]
      : []),
    ...node.flags.map((flag) => `${at} ${flagWords(flag)}`),
  ]
}

function flagWords({ long, short, about, takesValue, choices }: CommandFlag): string {
  const names = `--long-option ${long.slice(2)}${short ? ` --short-option ${short.slice(1)}` : ''}`
  const value = takesValue ? ' --require-parameter' : ''
  const list = choices.length > 0 ? ` --no-files --arguments ${fishWord(choices.join(' '))}` : ''
  return `${names}${value}${list} --description ${fishWord(about)}`
}

/** In fish, only quotes and backslashes are special inside single quotes. */
const fishWord = (text: string): string => `'${text.replace(/['\\]/g, String.raw`\$&`)}'`

import { allNodes, type CommandFlag, type CommandNode, namesOf } from './command-tree.ts'

/** The script for fish, with descriptions. */
export function fishCompletion(root: CommandNode): string {
  const nodes = allNodes(root)
  const program = root.path
  const places = nodes.flatMap(({ path, children }) =>
    children.map((child) => {
      const patterns = namesOf(child).map((name) => fishWord(`${path} ${name}`))
      return `            case ${patterns.join(' ')}\n                set place ${fishWord(child.path)}`
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

function linesOf({ path, children, choices, flags }: CommandNode, program: string): string[] {
  const at = `complete --command ${program} --condition ${fishWord(`__${program}_at ${fishWord(path)}`)}`
  return [
    ...children.map(({ command, about }) => `${oneOf([command.name()])} ${describedAs(about)}`),
    ...(choices.length > 0 ? [oneOf(choices)] : []),
    ...flags.map(flagWords),
  ].map((words) => `${at} ${words}`)
}

function flagWords({ long, short, description, argChoices = [], ...flag }: CommandFlag): string {
  const names = `--long-option ${long.slice(2)}${short ? ` --short-option ${short.slice(1)}` : ''}`
  const value = flag.required || flag.optional ? ' --require-parameter' : ''
  const values = argChoices.length > 0 ? ` ${oneOf(argChoices)}` : ''
  return `${names}${value}${values} ${describedAs(description)}`
}

const oneOf = (words: readonly string[]): string =>
  `--no-files --arguments ${fishWord(words.join(' '))}`

const describedAs = (about: string): string => `--description ${fishWord(about)}`

/** In fish, only quotes and backslashes are special inside single quotes. */
const fishWord = (text: string): string => `'${text.replace(/['\\]/g, String.raw`\$&`)}'`

import { shellWord } from '../curl/curl-command.ts'
import { allNodes, type CommandNode } from './command-tree.ts'

/**
 * The parts that scripts for bash and zsh share: lines of `case` statements. A place is the words of a
 * command without flags, such as `trawl tasks list`.
 */
export function completionCases(root: CommandNode): { places: string[]; values: string[] } {
  const nodes = allNodes(root)
  return {
    places: nodes.flatMap(({ path, children }) =>
      children.flatMap((child) =>
        [child.path.split(' ').at(-1) ?? '', ...child.aliases].map(
          (word) => `${shellWord(`${path} ${word}`)}) place=${shellWord(child.path)} ;;`,
        ),
      ),
    ),
    values: nodes.flatMap(({ path, flags }) =>
      flags
        .filter(({ takesValue }) => takesValue)
        .map(({ long, short, choices }) => {
          const names = short ? [long, short] : [long]
          const patterns = names.map((name) => shellWord(`${path} ${name}`)).join('|')
          return `${patterns}) choices=${shellWord(choices.join(' '))}; is_value=1 ;;`
        }),
    ),
  }
}

/** The names of the commands below one, or the choices of its argument. */
export const wordsBelow = ({ children, choices }: CommandNode): string[] => [
  ...children.flatMap((child) => [child.path.split(' ').at(-1) ?? '', ...child.aliases]),
  ...choices,
]

export const indented = (lines: readonly string[], indent: string): string =>
  lines.map((line) => indent + line).join('\n')

import { type Command, Option } from 'commander'

/** A command as completions and the reference page see it. */
export interface CommandNode {
  /** The words from the program on, such as `trawl tasks list`. */
  path: string
  command: Command
  about: string
  /** Other names of its last word. */
  aliases: readonly string[]
  children: CommandNode[]
  flags: CommandFlag[]
  /** What its first argument may be, if that is a choice. */
  choices: readonly string[]
}

/** Every flag has a long form. */
export type CommandFlag = Option & { long: string }

/** Describes a program with everything below it. Flags of the program belong to every command. */
export function describeCommands(program: Command): CommandNode {
  const shared = [...flagsOf(program), new Option('-h, --help', 'display help for command')]
  const describe = (command: Command, before: string): CommandNode => {
    const path = `${before}${command.name()}`
    const own = command === program ? [] : flagsOf(command)
    return {
      path,
      command,
      about: command.description(),
      aliases: command.aliases(),
      children: command.commands.map((child) => describe(child, `${path} `)),
      flags: [...own, ...shared] as CommandFlag[],
      choices: command.registeredArguments[0]?.argChoices ?? [],
    }
  }
  return describe(program, '')
}

const flagsOf = ({ options }: Command): readonly Option[] => options.filter(({ hidden }) => !hidden)

/** A command and all below it, each after the one above it. */
export const allNodes = (node: CommandNode): CommandNode[] => [
  node,
  ...node.children.flatMap(allNodes),
]

export const takesValue = ({ required, optional }: Option): boolean => required || optional

/** The last word of a command, and the others that stand for it. */
export const namesOf = ({ command, aliases }: CommandNode): [string, ...string[]] => [
  command.name(),
  ...aliases,
]

import type { Command, Option } from 'commander'

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

export interface CommandFlag {
  long: string
  short: string | undefined
  about: string
  takesValue: boolean
  choices: readonly string[]
}

/** Describes a program with everything below it. Flags of the program belong to every command. */
export function describeCommands(program: Command): CommandNode {
  const shared = [...flagsOf(program), helpFlag]
  const describe = (command: Command, before: string): CommandNode => {
    const path = `${before}${command.name()}`
    const own = command === program ? [] : flagsOf(command)
    return {
      path,
      command,
      about: command.description(),
      aliases: command.aliases(),
      children: command.commands.map((child) => describe(child, `${path} `)),
      flags: [...own, ...shared],
      choices: command.registeredArguments[0]?.argChoices ?? [],
    }
  }
  return describe(program, '')
}

/** A command and all below it, each after the one above it. */
export const allNodes = (node: CommandNode): CommandNode[] => [
  node,
  ...node.children.flatMap(allNodes),
]

const helpFlag: CommandFlag = {
  long: '--help',
  short: '-h',
  about: 'display help for command',
  takesValue: false,
  choices: [],
}

const flagsOf = ({ options }: Command): CommandFlag[] =>
  options.filter(({ hidden }) => !hidden).map(toFlag)

const toFlag = (option: Option): CommandFlag => ({
  long: option.long ?? option.flags,
  short: option.short,
  about: option.description,
  takesValue: option.required || option.optional,
  choices: option.argChoices ?? [],
})

import { Argument, type Command } from 'commander'
import { printText } from '../output/print.ts'
import { bashCompletion, zshCompletion } from './bash-zsh-completion.ts'
import { type CommandNode, describeCommands } from './command-tree.ts'
import { fishCompletion } from './fish-completion.ts'

const shells = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} satisfies Record<string, (root: CommandNode) => string>

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .description('print a script that completes commands and flags in a shell')
    .option('-o, --output <file>', 'write to a file instead of stdout')
    .addHelpText(
      'after',
      `
bash: source <(trawl completion bash)
zsh:  source <(trawl completion zsh), after compinit
fish: trawl completion fish | source`,
    )
    .action((shell: keyof typeof shells, flags: { output?: string }) =>
      printText(shells[shell](describeCommands(program)).trimEnd(), flags),
    )
}

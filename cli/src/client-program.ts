import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { addBatchCommand } from './commands/batch-command.ts'
import { addCrawlCommand } from './commands/crawl-command.ts'
import { addJobsCommand } from './commands/jobs-command.ts'
import { addListenCommand } from './commands/listen-command.ts'
import { addMapCommand } from './commands/map-command.ts'
import { addMcpCommand } from './commands/mcp-command.ts'
import { addProfileCommand } from './commands/profile-command.ts'
import { addExtractCommand, addScrapeCommand } from './commands/scrape-command.ts'
import { addTasksCommand } from './commands/tasks-command.ts'
import { addWebhooksCommand } from './commands/webhooks-command.ts'
import { addCompletionCommand } from './completion/completion-command.ts'
import { type MessageFlags, setMessages } from './output/messages.ts'
import { isBareUrl } from './run-command-line.ts'

type AddCommand = (program: Command) => void

/** The commands that call a service, in the order of the help. */
const clientCommands: readonly AddCommand[] = [
  addScrapeCommand,
  addExtractCommand,
  addBatchCommand,
  addCrawlCommand,
  addMapCommand,
  addTasksCommand,
  addJobsCommand,
  addWebhooksCommand,
  addListenCommand,
  addMcpCommand,
  addProfileCommand,
]

/** Commands of another package, and where they are in the help. */
interface MoreCommands {
  before: readonly AddCommand[]
  after: readonly AddCommand[]
}

/** The command line as a tree, which the program runs and the reference page and completions describe. */
export function createProgram(
  { before, after }: MoreCommands = { before: [], after: [] },
): Command {
  const program = new Command('trawl')
    .description('A self-hosted web scraping service.')
    .version(packageJson.version)
    .option('--quiet', 'no messages on stderr but errors')
    .option('--verbose', 'say on stderr which calls are made; keys are masked')
    .option('--no-color', 'no colours; as NO_COLOR=1')
    .option('--no-input', 'never ask; fail instead')
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      `
Exit codes: 0 ok, 1 failed, 2 bad usage, 3 not authorised, 4 not found, 5 limited (429),
6 no service answers, 7 timed out, 69 port or store unavailable, 78 bad configuration,
130 Ctrl-C, 143 terminated.
Which service: --server, TRAWL_URL, the profile ("trawl profile"), the one on this machine.
Settings: flags, environment, .env, trawl.config.json; see "trawl config".`,
    )
    .exitOverride()
    .hook('preAction', (_program, command) => {
      setMessages(command.optsWithGlobals<MessageFlags>())
    })
  const commands = [...before, ...clientCommands, ...after, addCompletionCommand]
  for (const add of commands) add(program)
  return program
}

/** Whether a command line needs the commands of this package only, so that nothing else is loaded. */
export function isForClient(words: readonly string[]): boolean {
  const word = words.find((one) => !one.startsWith('-'))
  if (word === undefined) return words.includes('--version') || words.includes('-V')
  return isBareUrl(word) || clientNames().has(word)
}

/** Completions describe the whole program. */
function clientNames(): ReadonlySet<string> {
  const { commands } = createProgram()
  return new Set(commands.map((one) => one.name()).filter((name) => name !== 'completion'))
}

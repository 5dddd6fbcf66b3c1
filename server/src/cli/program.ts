import { Command } from 'commander'
import { version } from '../runtime/version.ts'
import { addAccountsCommand } from './accounts-command.ts'
import { addBatchCommand } from './batch-command.ts'
import { addBrowserCommand } from './browser-command.ts'
import { addCompletionCommand } from './completion-command.ts'
import { addConfigCommand } from './config-command.ts'
import { addCrawlCommand } from './crawl-command.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { addIpsCommand } from './ips-command.ts'
import { addJobsCommand } from './jobs-command.ts'
import { addKeysCommand } from './keys-command.ts'
import { addListenCommand } from './listen-command.ts'
import { addLoginCommand } from './login-command.ts'
import { addMapCommand } from './map-command.ts'
import { addMcpCommand } from './mcp-command.ts'
import { setVolume, type Volume } from './messages.ts'
import { addOpenapiCommand } from './openapi-command.ts'
import { addProfileCommand } from './profile-command.ts'
import { addProxiesCommand } from './proxies-command.ts'
import { addExtractCommand, addScrapeCommand } from './scrape-command.ts'
import { addSecretsCommand } from './secrets-command.ts'
import { addServeCommand } from './serve-command.ts'
import { addTasksCommand } from './tasks-command.ts'
import { withoutColours } from './terminal-colours.ts'
import { addWebhooksCommand } from './webhooks-command.ts'

/** Every command in the order of the help. */
const commands = [
  addServeCommand,
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
  addLoginCommand,
  addAccountsCommand,
  addKeysCommand,
  addIpsCommand,
  addSecretsCommand,
  addProxiesCommand,
  addConfigCommand,
  addOpenapiCommand,
  addDoctorCommand,
  addBrowserCommand,
  addCompletionCommand,
]

/** The command line as a tree, which the program runs and the reference page and completions describe. */
export function createProgram(): Command {
  const program = new Command('trawl')
    .description('A self-hosted web scraping service.')
    .version(version)
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
      const flags = command.optsWithGlobals<Volume & { color?: boolean }>()
      if (flags.color === false) withoutColours()
      setVolume(flags)
    })
  for (const add of commands) add(program)
  return program
}

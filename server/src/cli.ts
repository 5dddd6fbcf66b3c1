import { Command } from 'commander'
import { addAccountsCommand } from './cli/accounts-command.ts'
import { addBatchCommand } from './cli/batch-command.ts'
import { addBrowserCommand } from './cli/browser-command.ts'
import { addConfigCommand } from './cli/config-command.ts'
import { addCrawlCommand } from './cli/crawl-command.ts'
import { addDoctorCommand } from './cli/doctor-command.ts'
import { explainError } from './cli/explain-error.ts'
import { addIpsCommand } from './cli/ips-command.ts'
import { addKeysCommand } from './cli/keys-command.ts'
import { addListenCommand } from './cli/listen-command.ts'
import { addMapCommand } from './cli/map-command.ts'
import { addOpenapiCommand } from './cli/openapi-command.ts'
import { addProxiesCommand } from './cli/proxies-command.ts'
import { addScrapeCommand } from './cli/scrape-command.ts'
import { addSecretsCommand } from './cli/secrets-command.ts'
import { addServeCommand } from './cli/serve-command.ts'
import { version } from './runtime/version.ts'

const program = new Command('trawl')
  .description('A self-hosted web scraping service.')
  .version(version)
  .showSuggestionAfterError()
  .addHelpText(
    'after',
    `
Exit codes: 0 ok, 1 failed, 2 bad usage, 3 not authorised, 4 not found, 5 limited (429),
6 no service answers, 7 timed out, 69 port or store unavailable, 78 bad configuration,
130 Ctrl-C, 143 terminated.
Settings: flags, environment, .env, trawl.config.json; see "trawl config".`,
  )
  .exitOverride()

addServeCommand(program)
addScrapeCommand(program)
addBatchCommand(program)
addCrawlCommand(program)
addMapCommand(program)
addListenCommand(program)
addAccountsCommand(program)
addKeysCommand(program)
addIpsCommand(program)
addSecretsCommand(program)
addProxiesCommand(program)
addConfigCommand(program)
addOpenapiCommand(program)
addDoctorCommand(program)
addBrowserCommand(program)

const [first = '', ...rest] = process.argv.slice(2)
const words = /^https?:\/\//i.test(first) ? ['scrape', first, ...rest] : process.argv.slice(2)

try {
  await program.parseAsync(words, { from: 'user' })
} catch (error) {
  const { message, exitCode } = explainError(error)
  if (message) console.error(message)
  process.exitCode = exitCode
}

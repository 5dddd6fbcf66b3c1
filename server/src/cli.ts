import { Command } from 'commander'
import { addAccountsCommand } from './cli/accounts.ts'
import { addBrowserCommand } from './cli/browser.ts'
import { addConfigCommand } from './cli/config.ts'
import { addDoctorCommand } from './cli/doctor.ts'
import { explainError } from './cli/explain-error.ts'
import { addIpsCommand } from './cli/ips.ts'
import { addKeysCommand } from './cli/keys.ts'
import { addListenCommand } from './cli/listen.ts'
import { addOpenapiCommand } from './cli/openapi.ts'
import { addProxiesCommand } from './cli/proxies.ts'
import { addScrapeCommand } from './cli/scrape.ts'
import { addSecretsCommand } from './cli/secrets.ts'
import { addServeCommand } from './cli/serve.ts'
import { version } from './runtime/version.ts'

const program = new Command('trawl')
  .description('A self-hosted web scraping service.')
  .version(version)
  .showSuggestionAfterError()
  .addHelpText(
    'after',
    `
Exit codes: 0 ok, 1 failed, 2 bad usage, 3 not authorised, 4 not found, 5 limited,
6 no service answers, 7 timed out, 69 port or store unavailable, 78 bad configuration.
Settings: flags, environment, .env, trawl.config.json; see "trawl config".`,
  )
  .exitOverride()

addServeCommand(program)
addScrapeCommand(program)
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

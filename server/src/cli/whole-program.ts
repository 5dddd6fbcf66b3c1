/**
 * The command line. Each command is a file and reads its settings as the service does. Data goes to
 * stdout, messages to stderr. Like `main.ts` it may import every folder; nothing imports it.
 */
import { type Command, createProgram, runCommandLine } from '../../../cli/src/index.ts'
import { addAccountsCommand, addLoginCommand } from './accounts-command.ts'
import { addBrowserCommand } from './browser-command.ts'
import { addConfigCommand } from './config-command.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { explainServerError } from './explain-server-error.ts'
import { addIpsCommand } from './ips-command.ts'
import { addKeysCommand } from './keys-command.ts'
import { addOpenapiCommand } from './openapi-command.ts'
import { addProxiesCommand } from './proxies-command.ts'
import { addSecretsCommand } from './secrets-command.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

/** Every command of `npx trawl`: those that call a service, and those on the store and settings here. */
export const createWholeProgram = (): Command =>
  createProgram({
    before: [addServeCommand],
    after: [
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
    ],
  })

export const runWholeProgram = (words: readonly string[]): Promise<void> =>
  runCommandLine(createWholeProgram(), words, explainServerError)

function addServeCommand(program: Command): void {
  addSettingFlags(program.command('serve'))
    .description('run the service until SIGTERM or Ctrl-C')
    .action(async (_options: unknown, command: Command) => {
      const { serve } = await import('./serve.ts')
      await serve(settingFlags(command))
    })
}

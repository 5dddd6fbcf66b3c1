import { type Command, createProgram, runCommandLine } from '../../../cli/src/index.ts'
import { addAccountsCommand } from './accounts-command.ts'
import { addBrowserCommand } from './browser-command.ts'
import { addConfigCommand } from './config-command.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { explainServerError } from './explain-server-error.ts'
import { addIpsCommand } from './ips-command.ts'
import { addKeysCommand } from './keys-command.ts'
import { addLoginCommand } from './login-command.ts'
import { addOpenapiCommand } from './openapi-command.ts'
import { addProxiesCommand } from './proxies-command.ts'
import { addSecretsCommand } from './secrets-command.ts'
import { addServeCommand } from './serve-command.ts'

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

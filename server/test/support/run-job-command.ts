import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type RunningProgram, runTrawl } from './run-program.ts'
import { scratchFolder } from './scratch-folder.ts'
import { startTestService, type TestAccount, type TestService } from './test-service.ts'

/** A service with an account, and a folder in which commands run against it. */
export interface CommandScene {
  service: TestService
  account: TestAccount
  cwd: string
  /** Starts `trawl …` with the address of the service and the account's key. */
  start(args: string[], options?: { stdin?: string }): RunningProgram
  /** The same, and waits for its end. */
  run(args: string[], options?: { stdin?: string }): Promise<EndedCommand>
}

export interface EndedCommand {
  code: number | null
  stdout: string
  stderr: string
}

export async function startCommandScene(t: TestContext): Promise<CommandScene> {
  const service = await startTestService(t, {
    environment: { TRAWL_EGRESS_ALLOW: '127.0.0.0/8' },
  })
  const account = await service.createAccount()
  const cwd = await scratchFolder(t)
  const environment = { TRAWL_API_KEY: account.apiKey, TRAWL_PORT: new URL(service.url).port }
  const start: CommandScene['start'] = (args, options) =>
    runTrawl(t, args, { cwd, environment, ...options })
  return { service, account, cwd, start, run: (...given) => endOf(start(...given)) }
}

export async function endOf(program: RunningProgram): Promise<EndedCommand> {
  const code = await program.whenEnded
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}

/** The documents of an NDJSON text. */
export const documentsIn = (ndjson: string): Record<string, unknown>[] =>
  ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

export const readIndex = async (folder: string) =>
  documentsIn(await readFile(join(folder, 'index.ndjson'), 'utf8'))

import { once } from 'node:events'
import { startProgram } from '../../bench/program.ts'
import { type AccountStore, createAccount } from '../../src/accounts/accounts.ts'
import { loadConfig } from '../../src/config.ts'
import { openStore } from '../../src/wiring/open-store.ts'
import { callApi } from '../support/call-api.ts'
import { callWithRetry } from '../support/retry-while-unavailable.ts'
import { makeScratchFolder } from '../support/scratch-folder.ts'
import type { TestAccount } from '../support/test-service.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { silentLog } from '../support/test-store.ts'

/** The service like `npm start` runs it, in its own process, and its store opened beside it. */
export interface FaultService {
  readonly url: string
  readonly pid: number
  readonly dataDir: string
  readonly db: AccountStore['db']
  readonly sealer: AccountStore['sealer']
  createAccount(username: string): Promise<Pick<TestAccount, 'call' | 'apiKey'>>
}

/** Killed without a graceful shutdown when the resources are disposed. */
export async function startFaultService(
  resources: AsyncDisposableStack,
  { databaseUrl, environment = {} }: FaultServiceOptions = {},
): Promise<FaultService> {
  const { path: dataDir } = resources.use(await makeScratchFolder())
  const whole = {
    ...serviceEnvironment({ url: databaseUrl, dataDir }),
    TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
    TRAWL_LOG_LEVEL: 'warn',
    // The same setting as in the launcher.
    MALLOC_MMAP_THRESHOLD_: '131072',
    ...environment,
  }
  const { child, url } = await startProgram(['../src/cli.ts', 'serve'], whole)
  resources.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
  const { config } = loadConfig({}, whole, dataDir)
  const store = await openStore(config, silentLog)
  resources.use(store.db)
  return {
    url,
    pid: Number(child.pid),
    dataDir,
    db: store.db,
    sealer: store.sealer,
    async createAccount(username) {
      const { apiKey } = await createAccount(store, { username })
      const headers = { 'x-api-key': apiKey }
      return {
        apiKey,
        call: (request, body) => callWithRetry(() => callApi(url, request, { headers, body })),
      }
    },
  }
}

interface FaultServiceOptions {
  /** Without a URL the store is SQLite in its own folder. */
  databaseUrl?: string | undefined
  environment?: Record<string, string>
}

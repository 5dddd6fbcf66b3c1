import type { TestContext } from 'node:test'
import { type Credentials, createAccount } from '../../src/accounts/accounts.ts'
import { loadConfig } from '../../src/config.ts'
import { type Service, startService } from '../../src/main.ts'
import type { Log } from '../../src/runtime/log.ts'
import { type OpenStore, openStore } from '../../src/wiring/open-store.ts'
import { type ApiResponse, basicOf, callApi } from './call-api.ts'
import { callWithRetry, retryWhileUnavailable } from './retry-while-unavailable.ts'
import { createTestStore, type StoreKind, silentLog, tierStoreKinds } from './test-store.ts'

export interface TestService extends Service {
  readonly dataDir: string
  /** Opens the service's store once more, as the command line does beside a running service. */
  openBeside(): Promise<OpenStore>
  /** Creates an account for one test, so that tests can share a service. */
  createAccount(): Promise<TestAccount>
}

export interface TestAccount extends Credentials {
  /**
   * `call('POST /v1/webhooks', {…})`, with the credentials that the path needs. It retries while
   * the service is overloaded, which happens on a busy machine.
   */
  call: Call
  /** The same, whatever is answered. */
  callWithoutRetry: Call
}

type Call = (request: string, body?: unknown) => Promise<ApiResponse>

export interface TestServiceOptions {
  kind?: StoreKind
  environment?: Record<string, string>
  /** For tests of log lines. */
  log?: Log
}

/** Starts the whole service on a free port with its own store; it stops when the test ends. */
export async function startTestService(
  t: TestContext,
  options: TestServiceOptions = {},
): Promise<TestService> {
  const parts = new AsyncDisposableStack()
  // Registered before the store's own, so that the service ends before its folder is removed.
  t.after(() => parts.disposeAsync())
  const { place } = await createTestStore(t, options.kind ?? 'sqlite')
  const { config } = loadConfig(
    {},
    { ...serviceEnvironment(place), ...options.environment },
    place.dataDir,
  )
  const service = await startService(config, options.log ?? silentLog)
  parts.use(service)

  let beside: Promise<OpenStore> | undefined
  const openBeside = () => {
    beside ??= openStore(config, silentLog).then((store) => {
      parts.use(store.db)
      return store
    })
    return beside
  }
  let accountCount = 0
  return {
    ...service,
    dataDir: place.dataDir,
    openBeside,
    async createAccount() {
      accountCount++
      const username = `account-${accountCount}`
      const store = await openBeside()
      const credentials = await retryWhileUnavailable(
        () => createAccount(store, { username }),
        () => false,
      )
      const callOnce: Call = (request, body) =>
        callApi(service.url, request, { headers: headersFor(request, credentials), body })
      const call: Call = (...asked) => callWithRetry(() => callOnce(...asked))
      return { ...credentials, call, callWithoutRetry: callOnce }
    },
  }
}

const headersFor = (
  request: string,
  { username, password, apiKey }: Credentials,
): Record<string, string> =>
  / \/(api\/configuration|v1\/keys)\b/.test(request)
    ? { authorization: basicOf(username, password) }
    : { 'x-api-key': apiKey }

/** The settings that run a service on a test's store, in this process or in another. */
export const serviceEnvironment = (place: {
  url?: string | undefined
  dataDir: string
}): Record<string, string> => ({
  TRAWL_PORT: '0',
  TRAWL_DATA_DIR: place.dataDir,
  TRAWL_BROWSER_INSTALL: 'never',
  TRAWL_DASHBOARD: 'off',
  ...(place.url && {
    TRAWL_DATABASE_URL: place.url,
    TRAWL_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  }),
})

/** Says a suite once and runs it on each store of the tier. */
export function onBothStores(
  suite: (
    kind: StoreKind,
    start: (t: TestContext, options?: TestServiceOptions) => Promise<TestService>,
  ) => void,
): void {
  for (const kind of tierStoreKinds) {
    suite(kind, (t, options) => startTestService(t, { kind, ...options }))
  }
}

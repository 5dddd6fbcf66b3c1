import type { TestContext } from 'node:test'
import type { Page } from 'puppeteer-core'
import { type ApiResponse, callApi } from './call-api.ts'
import { type CuttableGateway, startCuttableGateway } from './cuttable-gateway.ts'
import { callWithRetry } from './retry-while-unavailable.ts'
import { reachingLoopback } from './scrape-calls.ts'
import { openTestPage } from './test-browser.ts'
import { startTestService, type TestService } from './test-service.ts'

type FoundElement = NonNullable<Awaited<ReturnType<Page['waitForSelector']>>>

export interface DashboardScene {
  service: TestService
  /** Between the browser and the service. */
  gateway: CuttableGateway
  /** Of the service, for the browser. */
  url: string
  /** The first account, which operates the service. */
  operator: typeof operator
  /** Calls the API as the operator. */
  call(request: string, body?: unknown): Promise<ApiResponse>
  page: Page
  /** Every URL that the page asked for. */
  asked: string[]
  /** What its console said, without the refusals that the test expects. */
  complaints: string[]
  /** The first element of a role and accessible name, once there is one. */
  find(role: string, name: string): Promise<FoundElement>
  click(role: string, name: string): Promise<void>
  type(role: string, name: string, text: string): Promise<void>
  /** As the operator unless it is said otherwise. */
  signIn(who?: { username: string; password: string }): Promise<void>
  /** Resolves once the page shows this text. */
  shows(text: string): Promise<void>
  /** Resolves once it no longer does. */
  hides(text: string): Promise<void>
}

interface DashboardSceneOptions {
  environment?: Record<string, string>
  /**
   * The answers that a browser reports as errors and that the test wants: their status, or the fault of the
   * network, and the beginning of the path, such as `403 /v1/system`. Who is not signed in is always asked.
   */
  refusals?: readonly string[]
}

const operator = {
  username: 'operator',
  password: 'correct horse battery staple',
  apiKey: 'key-of-the-first-account',
}

/** What the build needs of this process's environment, as the service passes it on. */
const buildEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && /^(?:PATH|HOME|npm_.*|(?:https?|no)_proxy)$/i.test(entry[0]),
    ),
  )

/** A service with its dashboard, an account, and a page of a real browser that nobody has signed in. */
export async function openDashboardScene(
  t: TestContext,
  { environment, refusals = [] }: DashboardSceneOptions = {},
): Promise<DashboardScene> {
  const gateway = await startCuttableGateway(t)
  const service = await startTestService(t, {
    environment: {
      ...reachingLoopback,
      ...buildEnvironment(),
      TRAWL_DASHBOARD: 'auto',
      TRAWL_PUBLIC_URL: gateway.url,
      TRAWL_USERNAME: operator.username,
      TRAWL_PASSWORD: operator.password,
      TRAWL_API_KEY: operator.apiKey,
      ...environment,
    },
  })
  gateway.leadTo(service.url)
  const page = await openTestPage(t)
  page.setDefaultTimeout(20_000)
  await service.dashboard.whenSettled
  const notice = service.dashboard.notice()
  if (notice !== undefined) throw new Error(service.dashboard.problem() ?? notice)

  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => {
    if (!['error', 'warn'].includes(message.type())) return
    const refusal = readRefusal(message.text(), message.location().url)
    if (refusal === undefined) complaints.push(message.text())
    else if (!refusals.some((one) => refusal.startsWith(one))) complaints.push(refusal)
  })
  page.on('pageerror', (error) => complaints.push(String(error)))

  const find: DashboardScene['find'] = async (role, name) => {
    const found = await page.waitForSelector(`::-p-aria([name="${name}"][role="${role}"])`)
    if (!found) throw new Error(`There is no ${role} "${name}".`)
    return found
  }
  const click: DashboardScene['click'] = async (role, name) => (await find(role, name)).click()
  const type: DashboardScene['type'] = async (role, name, text) =>
    (await find(role, name)).type(text)
  return {
    service,
    gateway,
    url: gateway.url,
    operator,
    call: (request, body) =>
      callWithRetry(() =>
        callApi(service.url, request, { headers: { 'x-api-key': operator.apiKey }, body }),
      ),
    page,
    asked,
    complaints,
    find,
    click,
    type,
    async signIn({ username, password } = operator) {
      await type('textbox', 'Account name', username)
      await type('textbox', 'Password', password)
      await click('button', 'Sign in')
      await find('navigation', 'Main')
    },
    shows: (text) => untilPage(`document.body.innerText.includes(${JSON.stringify(text)})`),
    hides: (text) => untilPage(`!document.body.innerText.includes(${JSON.stringify(text)})`),
  }

  async function untilPage(isSo: string): Promise<void> {
    // Its polling by mutations misses text that is written into a node that stays.
    await page.waitForFunction(isSo, { polling: 50 })
  }
}

/** `404 /v1/tasks/1` of what a browser says about an answer that it could not use; else undefined. */
function readRefusal(text: string, url: string | undefined): string | undefined {
  const [, what] = /^Failed to load resource: (?:.* status of (?=\d)|)([\w:]+)/.exec(text) ?? []
  return what && `${what} ${URL.parse(url ?? '')?.pathname}`
}

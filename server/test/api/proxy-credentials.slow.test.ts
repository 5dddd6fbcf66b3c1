/** Credentials of proxies are sent to the proxies and to nobody else. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { type ApiResponse, callApi } from '../support/call-api.ts'
import { type CountingProxy, startCountingProxy } from '../support/counting-proxy.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import {
  callbackPath,
  reachingLoopback,
  scrapeNow,
  submitTask,
  untilTask,
} from '../support/scrape-calls.ts'
import { startTestService, type TestAccount } from '../support/test-service.ts'

const user = { name: 'canaryname', password: 'canaryword' }
const template = 'canaryname-{session}'
const secrets = [
  user.name,
  user.password,
  // As in a `Basic` header; the first nine bytes are the same for every `name:password`.
  Buffer.from(user.name.slice(0, 9)).toString('base64'),
  Buffer.from(user.password).toString('base64').replace(/=+$/, ''),
]

const faults: Record<string, (proxy: CountingProxy) => void> = {
  good: () => undefined,
  dead: (proxy) => proxy.kill(),
  refusing: (proxy) => proxy.behave('unauthorized'),
  babbling: (proxy) => proxy.behave('babble'),
}

interface Placed {
  proxy: CountingProxy
  label: string
  /** Each proxy has its own country, so that a task can choose it. */
  country: string
}

/** A service that logs everything, and one proxy for each kind of fault. */
async function createScene(t: TestContext, environment: Record<string, string> = {}) {
  const site = await startPageSite(t)
  site.page('/', '<p id=p>plain</p><script>p.textContent = "scripted"</script>')
  const placed: Placed[] = []
  const list: object[] = []
  for (const protocol of ['http', 'socks5'] as const) {
    for (const [name, make] of Object.entries(faults)) {
      const label = `${protocol}-${name}`
      const country = `${protocol[0]}${name[0]}`.toUpperCase()
      const proxy = await startCountingProxy(t, { protocol })
      make(proxy)
      placed.push({ proxy, label, country })
      const userName = placed.length % 2 ? user.name : template
      const url = `${protocol}://${userName}:${user.password}@127.0.0.1:${proxy.route.port}`
      list.push({ url, type: 'datacenter', country, label })
    }
  }
  const logged: string[] = []
  const service = await startTestService(t, {
    log: pino({ level: 'trace' }, { write: (line) => void logged.push(line) }),
    environment: { ...reachingLoopback, ...environment, TRAWL_PROXIES: JSON.stringify(list) },
  })
  return { service, account: await service.createAccount(), site, placed, logged }
}

/** Scrapes in both modes and returns all that a caller can read of the task. */
async function scrapeBothWays(
  account: TestAccount,
  body: { url: string; configurations: object },
): Promise<{ answer: ApiResponse; texts: string }> {
  const answer = await scrapeNow(account, body)
  const id = await submitTask(account, body)
  const task = await untilTask(account, id, ({ status }) => /completed|failed/.test(status))
  const result = await account.call(`GET ${callbackPath}/${id}/result`)
  return { answer, texts: JSON.stringify([answer, task, result]) }
}

const configurationsFor = (country: string, more: object = {}) => ({
  country_code: country,
  response_format: 'json',
  debug: true,
  retries: { useRetries: false },
  ...more,
})

async function publicTexts(url: string): Promise<string> {
  const paths = ['/metrics', '/capabilities', '/readyz?verbose', '/health']
  const answers = await Promise.all(paths.map((path) => callApi(url, `GET ${path}`)))
  return answers.map(({ text }) => text).join('\n')
}

const filesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

function assertNoSecrets(where: string, text: string): void {
  for (const secret of secrets) {
    const at = text.indexOf(secret)
    assert.equal(at, -1, `${where} has ${secret}: ${text.slice(Math.max(0, at - 200), at + 50)}`)
  }
}

type Scene = Awaited<ReturnType<typeof createScene>>

/** Runs a task through each of these proxies, then searches every place for their credentials. */
async function assertLeaksNothing(scene: Scene, placed: readonly Placed[], more: object = {}) {
  const { service, account, site, logged } = scene
  const texts: string[] = []
  for (const { country, label, proxy } of placed) {
    const configurations = configurationsFor(country, more)
    const scraped = await scrapeBothWays(account, { url: site.url('/'), configurations })
    texts.push(scraped.texts)
    if (!label.endsWith('-good')) assertFailure(scraped.answer, 'PROXY_FAILED')
    else {
      assert.equal(scraped.answer.json().debug.attempts[0].proxy, label)
      // The secrets that are searched for are the ones in use.
      const [ask] = proxy.asked
      assert.match(ask?.user ?? '', /^canaryname(-\w{12})?:canaryword$/)
    }
  }

  assert.ok(logged.length > 0)
  assertNoSecrets('The log', logged.join(''))
  assertNoSecrets('A response', texts.join('\n'))
  assertNoSecrets('The public pages', await publicTexts(service.url))
  assertNoSecrets('The data folder', filesIn(service.dataDir))
  const heard = site.askedFor('/').map(({ rawHeaders }) => rawHeaders.join('\n'))
  assert.ok(heard.length > 0)
  assertNoSecrets('A request to the target', heard.join('\n'))
}

test('proxy credentials are in no log, response, metric or store, however a task ends', async (t) => {
  const scene = await createScene(t)

  await assertLeaksNothing(scene, scene.placed)
})

test('proxy credentials of browser tasks are in no log, response, metric or store', async (t) => {
  const scene = await createScene(t, await withBrowser())

  const tried = scene.placed.filter(({ label }) => /-(good|dead|refusing)$/.test(label))
  await assertLeaksNothing(scene, tried, { js_render: true })
})

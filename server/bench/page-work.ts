import autocannon from 'autocannon'
import { startPostgres } from '../test/support/postgres-server.ts'
import { crawlByCrawlee, crawlByCrw, crawlByTrawl } from './crawl-work.ts'
import { findCrawlee, findCrw, findEarlierTrawl } from './installed-peers.ts'
import {
  apiKey,
  type Program,
  startProgram,
  startRpcProcess,
  startTrawl,
  stopProgram,
} from './program.ts'
import { type Burst, compareSides, type Side, type SidesRow } from './sides.ts'

const rounds = 5
const burst = { warmUpMs: 700, ms: 3_000 }
const pagePath = '/dense-47'
const queueMax = '10000000'
const roomy = { TRAWL_QUEUE_MAX: queueMax, TRAWL_ACCOUNT_QUEUE_MAX: queueMax }

/** One kind of page, asked for in every way: 47 KB that arrive as 20 KB of gzip, each URL unique. */
export async function measurePageWork(): Promise<SidesRow[]> {
  await using resources = new AsyncDisposableStack()
  const setting = await prepare(resources)
  const rows: SidesRow[] = []
  for (const [name, measure] of Object.entries(groups)) {
    if (process.env['TRAWL_BENCH_ROWS'] && process.env['TRAWL_BENCH_ROWS'] !== name) continue
    for (const row of await measure(setting)) {
      console.error(`  ${JSON.stringify(row)}`)
      rows.push(row)
    }
  }
  return rows
}

type Setting = Awaited<ReturnType<typeof prepare>>

async function prepare(resources: AsyncDisposableStack) {
  const earlier = findEarlierTrawl()
  const peers = resources.use(startRpcProcess('scrape-peers.ts'))
  const bare = resources.use(startRpcProcess('bare-scraper.ts'))
  const urls = await peers.call<{ originUrl: string; receiverUrls: string[] }>({ kind: 'urls' })
  /** The service of this tree, and that of an earlier commit where one is wanted. */
  const startServices = async (
    stack: AsyncDisposableStack,
    environment: Record<string, string> = {},
  ) => {
    const now = { name: 'now', program: await startTrawl(stack, environment) }
    if (!earlier) return [now]
    const program = await startTrawl(stack, environment, earlier.cli)
    return [{ name: earlier.commit, program }, now]
  }
  const askPeers = (kind: string, program: Program, more: object) =>
    peers.call<Burst>({ kind, serviceUrl: program.url, apiKey, pagePath, ...burst, ...more })
  const bareSide = (name: string, kind: string, together: number, receiverCount = 1): Side => {
    const receiverUrls = urls.receiverUrls.slice(0, receiverCount)
    const question = { kind, ...urls, receiverUrls, together, pagePath, ...burst }
    return { name, child: bare.child, burst: () => bare.call<Burst>(question) }
  }
  return { peers, urls, startServices, askPeers, bareSide }
}

const groups: Record<string, (setting: Setting) => Promise<SidesRow[]>> = {
  realtime: async (setting) => [
    await measureAnswers(setting, 'realtime', 16, '≥ 0.50'),
    await measureAnswers(setting, 'realtime', 64, '≥ 0.60'),
  ],
  callbacks: async (setting) => [
    await measureCallbacks(setting, 16, '≥ 0.60'),
    await measureCallbacks(setting, 2_000, '≥ 0.60'),
  ],
  accepting: async (setting) => [
    await measureAccepting(setting, { connections: 16, wanted: '≥ 0.25' }),
    await measureAccepting(setting, { connections: 64, wanted: '≥ 0.35' }),
    await measureAccepting(setting, { connections: 64, roles: 'api', wanted: '≥ 0.40' }),
  ],
  extractions: async (setting) => [
    await measureAnswers(setting, 'extractions', 16, '≥ 1.8; over crw ≥ 1.5'),
    await measureAnswers(setting, 'extractions', 64, '≥ 1.8; over crw ≥ 1.5'),
  ],
  crawls: async (setting) => [await measureCrawl(setting)],
  postgres: async (setting) => [await measurePostgres(setting)],
}

const bareNames: Record<string, string> = {
  realtime: 'undici, gunzip',
  extractions: 'undici, turndown',
}

async function measureAnswers(
  setting: Setting,
  kind: 'realtime' | 'extractions',
  together: number,
  wanted: string,
): Promise<SidesRow> {
  await using stack = new AsyncDisposableStack()
  const programs = await setting.startServices(stack)
  const ours = programs.map(({ name, program }) => ({
    name,
    child: program.child,
    burst: () => setting.askPeers(kind, program, { together }),
  }))
  const crw = kind === 'extractions' ? await findCrw(stack) : undefined
  const others = crw ? [{ ...crw, burst: () => setting.askPeers('crw', crw, { together }) }] : []
  const measure = `${kind === 'realtime' ? 'realtime' : 'markdown, synchronous'}, ${together} at once`
  const baseline = setting.bareSide(bareNames[kind] ?? '', kind, together)
  return await compareSides({ measure, wanted }, [baseline, ...others, ...ours], rounds)
}

async function measureCallbacks(setting: Setting, together: number, wanted: string) {
  await using stack = new AsyncDisposableStack()
  const programs = await setting.startServices(stack, roomy)
  const ours = programs.map(({ name, program }) => ({
    name,
    child: program.child,
    burst: () => setting.askPeers('callbacks', program, { together, receiverCount: 1 }),
  }))
  const baseline = setting.bareSide('undici, gunzip, POST', 'callbacks', Math.min(together, 64))
  const measure = `callback, ${together} under way, one receiver`
  return await compareSides({ measure, wanted }, [baseline, ...ours], rounds)
}

const callbackPath = '/api/scraper/scrape/callback'

/** Answers of 202 while the service works on what it accepts, unless it has the role `api` alone. */
async function measureAccepting(
  { peers, urls, startServices }: Setting,
  { connections, roles, wanted }: { connections: number; roles?: string; wanted: string },
): Promise<SidesRow> {
  await using stack = new AsyncDisposableStack()
  const environment = { ...roomy, ...(roles && { TRAWL_ROLES: roles }) }
  const programs = await startServices(stack, environment)
  const accept = async (url: string): Promise<Burst> => {
    const { requests, non2xx, errors } = await autocannon({
      url: `${url}${callbackPath}`,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      connections,
      duration: 2,
      setupClient(client) {
        const next = () => client.setBody(task(urls))
        next()
        client.on('response', next)
      },
    })
    if (non2xx + errors > 0) throw new Error(`${non2xx} bad answers, ${errors} errors.`)
    return { perSecond: requests.average, total: requests.total }
  }
  const body = { requestId: 'c0ffee00-0000-4000-8000-000000000000', status: 'queued' }
  const bare = stack.adopt(
    await startProgram(['bare-fastify.ts', JSON.stringify({ [`POST ${callbackPath}`]: body })]),
    stopProgram,
  )
  const ours = programs.map(({ name, program }) => ({
    name,
    child: program.child,
    async burst() {
      const accepted = await accept(program.url)
      // The next side begins when all of it is done, and its processor time is that of the whole task.
      if (!roles) await peers.call({ kind: 'arrivals', count: accepted.total })
      return accepted
    },
  }))
  const measure = roles
    ? `202, role ${roles} alone, ${connections} connections`
    : `202 while working on them, ${connections} connections`
  const baseline = { name: 'bare Fastify', child: bare.child, burst: () => accept(bare.url) }
  return await compareSides({ measure, wanted }, [baseline, ...ours], rounds)
}

let tasks = 0
function task({ originUrl, receiverUrls }: Setting['urls']): string {
  tasks += 1
  const url = `${originUrl}${pagePath}?accepted=${tasks}`
  return JSON.stringify({ url, callbackUrl: `${receiverUrls[0]}/accepted` })
}

async function measureCrawl({ startServices }: Setting): Promise<SidesRow> {
  await using stack = new AsyncDisposableStack()
  const site = stack.adopt(await startProgram(['crawl-site.ts']), stopProgram)
  const programs = await startServices(stack, { TRAWL_CRAWL_HOST_CONCURRENCY: '8' })
  const ours = programs.map(({ name, program }) => crawlByTrawl(name, program, site.url))
  const [crawlee, crw] = [findCrawlee(stack), await findCrw(stack)]
  const measure = 'crawl of 1 000 pages with markdown, 8 at once'
  const wanted = '≥ 2.0; over crw ≥ 1.2'
  const others = crw ? [crawlByCrw(crw, site.url)] : []
  return await compareSides(
    { measure, wanted },
    [crawlByCrawlee(crawlee, site.url), ...others, ...ours],
    3,
  )
}

const secretKey = Buffer.alloc(32).toString('base64')

async function measurePostgres({ startServices, askPeers }: Setting): Promise<SidesRow> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startPostgres())
  const side = async (environment: Record<string, string>) => {
    const own = (await startServices(stack, { ...roomy, ...environment })).at(-1)
    if (!own) throw new Error('No service started.')
    const ask = () => askPeers('callbacks', own.program, { together: 16, receiverCount: 1 })
    return { child: own.program.child, burst: ask }
  }
  const sqlite = { name: 'SQLite', ...(await side({})) }
  const postgres = {
    name: 'PostgreSQL',
    ...(await side({ TRAWL_DATABASE_URL: server.url, TRAWL_SECRET_KEY: secretKey })),
  }
  const measure = 'callback, 16 under way, on PostgreSQL'
  return await compareSides({ measure, wanted: '≥ 0.60' }, [sqlite, postgres], rounds)
}

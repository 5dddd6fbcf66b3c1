/** Everything that accounts share: how one takes all it can of it, and what another asks for meanwhile. */
import {
  callOk,
  extract,
  fillHistory,
  makeResults,
  type SharingAccount,
  type SharingScene,
} from './sharing-scene.ts'
import {
  askTogether,
  hearOwnTask,
  holdBatch,
  holdDeliveries,
  holdSockets,
  keepAsking,
  receiveOwnCallback,
  type Taken,
} from './take-all.ts'

export interface SharedThing {
  /** Resolves once both accounts have what they are about to use. */
  prepare?(scene: SharingScene): Promise<unknown>
  /** Resolves once all that can be taken is taken. */
  take(scene: SharingScene): Promise<Taken>
  /**
   * What another account asks for; it rejects unless that succeeds. `onReached` is called where it does not
   * get to what is shared at once.
   */
  ask(scene: SharingScene, onReached: () => void): Promise<unknown>
  /** How many requests of the first account may be served before the other's. */
  servedBeforeMax: number
  /** Tests count it in ways of their own: `slow-reads.test.ts`, `busy-pages.slow.test.ts`. */
  isOnlyMeasured?: true
  /** It is another thing on each store. */
  isOfStore?: true
}

const togetherCount = 16
/** Eight are served at once, so that some more may be while the other's request is on its way. */
const readersCount = 32
const markdown = { formats: ['markdown'] }
const rendered = { render_js: true }
const screenshot = { formats: ['screenshot'] }
const rules = { extract_rules: { links: { selector: 'p:has(b) a@href', type: 'list' } } }

// Where nothing is served until it is let go, the other has to be served although all is taken. Where
// accounts take turns, a queue without turns would serve most of the others before it.
const inTurn = togetherCount / 2

export const sharedThings: Record<string, SharedThing> = {
  'slots of the HTTP lane, connections to an origin': {
    take: (scene) => holdBatch(scene, { kind: 'silent', count: 80, heldCount: 64 }),
    ask: ({ other, site }) => extract(other, site.url('page')),
    servedBeforeMax: 0,
    isOfStore: true,
  },
  'memory for large responses': {
    take: (scene) => holdBatch(scene, { kind: 'dribbling', count: 6, heldCount: 2 }),
    ask: ({ other, site }) => extract(other, site.url('large'), { formats: ['html'] }),
    servedBeforeMax: 0,
  },
  'content threads': {
    take: ({ greedy, site }) =>
      askTogether(togetherCount, () => extract(greedy, site.url('article'), markdown)),
    ask: ({ other, site }, onReached) =>
      extract(other, site.watchedUrl('article', onReached), markdown),
    servedBeforeMax: inTurn,
  },
  'pools of processes (rules of callers)': {
    take: ({ greedy, site }) =>
      askTogether(togetherCount, () => extract(greedy, site.url('article'), rules)),
    ask: ({ other, site }, onReached) =>
      extract(other, site.watchedUrl('article', onReached), rules),
    servedBeforeMax: inTurn,
  },
  'the process for PDFs, by long ones': {
    take: ({ greedy, site }) => askTogether(4, () => extract(greedy, site.url('long-pdf'))),
    ask: ({ other, site }) => extract(other, site.url('short-pdf')),
    servedBeforeMax: 1,
  },
  'reading results': {
    // Each result is read once: later readers get it from memory.
    prepare: async ({ other, site, asksMax }) =>
      unread.set(other, await makeResults(other, site, asksMax)),
    take: async ({ greedy, site }) => {
      unread.set(greedy, await makeResults(greedy, site, readersCount))
      return await askTogether(readersCount, () => readNext(greedy))
    },
    ask: ({ other }) => readNext(other),
    servedBeforeMax: readersCount / 2,
  },
  'handling requests, by 60 callers': {
    take: ({ greedy }) => keepAsking(60, () => callOk(greedy, 'GET /v1/webhooks')),
    ask: ({ other }) => callOk(other, 'GET /v1/webhooks'),
    servedBeforeMax: inTurn,
    isOfStore: true,
    isOnlyMeasured: true,
  },
  lists: {
    prepare: async ({ greedy, other, site }) => {
      const accounts = [...Array(9).fill(greedy), other]
      await Promise.all(accounts.map((account) => fillHistory(account, site)))
    },
    take: ({ greedy }) =>
      askTogether(togetherCount, () => list(greedy, 'status=cancelled&page_size=100&page=9')),
    ask: ({ other }) => list(other, 'page_size=10'),
    servedBeforeMax: inTurn,
    isOfStore: true,
    isOnlyMeasured: true,
  },
  search: {
    prepare: async ({ greedy, other, site }) => {
      const accounts = Array.from({ length: 5 }, () => [greedy, other]).flat()
      await Promise.all(accounts.map((account) => fillHistory(account, site)))
    },
    take: ({ greedy }) => askTogether(togetherCount, () => search(greedy)),
    ask: ({ other }) => search(other),
    servedBeforeMax: inTurn,
    isOfStore: true,
  },
  'the store': {
    take: ({ greedy, site }) => askTogether(togetherCount, () => fillHistory(greedy, site)),
    ask: ({ other, site }) => fillHistory(other, site),
    servedBeforeMax: inTurn,
    isOfStore: true,
  },
  'the store, by batches of a thousand pages': {
    take: ({ greedy, site }) => keepAsking(2, () => fillHistory(greedy, site, 1_000)),
    ask: ({ other, site }) => extract(other, site.url('small')),
    servedBeforeMax: 0,
    isOfStore: true,
    isOnlyMeasured: true,
  },
  deliveries: {
    take: holdDeliveries,
    ask: receiveOwnCallback,
    servedBeforeMax: 0,
    isOfStore: true,
  },
  events: {
    take: (scene) => holdSockets(scene, { count: 100, text: eventsRequest(scene) }),
    ask: hearOwnTask,
    servedBeforeMax: 0,
  },
  'connections to the service': {
    take: (scene) => holdSockets(scene, { count: 400, text: 'GET /v1/tasks HTTP/1.1\r\n' }),
    ask: ({ other, site }) => extract(other, site.url('page')),
    servedBeforeMax: 0,
  },
  'pages of the browser': {
    take: (scene) => holdBatch(scene, { kind: 'silent', count: 12, heldCount: 2, more: rendered }),
    ask: ({ other, site }) => extract(other, site.url('page'), rendered),
    servedBeforeMax: 0,
  },
  'the browser, by screenshots of fifty megapixels': {
    take: ({ greedy, site }) => askTogether(4, () => extract(greedy, site.url('long'), screenshot)),
    ask: ({ other, site }) => extract(other, site.url('small'), screenshot),
    servedBeforeMax: 0,
    isOnlyMeasured: true,
  },
  'the processor, by pages with a hundred endless workers': {
    take: (scene) => holdBatch(scene, { kind: 'busy', count: 2, heldCount: 2, more: rendered }),
    ask: ({ other, site }) => extract(other, site.url('page'), rendered),
    servedBeforeMax: 0,
    isOnlyMeasured: true,
  },
}

/** Ids of results that nobody has read yet. */
const unread = new Map<SharingAccount, string[]>()

const readNext = (account: SharingAccount) =>
  callOk(account, `GET /v1/extract/${unread.get(account)?.pop()}`)

const search = (account: SharingAccount) => callOk(account, 'GET /v1/tasks?url=nowhere')

const list = (account: SharingAccount, query: string) => callOk(account, `GET /v1/tasks?${query}`)

const eventsRequest = ({ greedy }: SharingScene): string =>
  `GET /v1/events?topics=tasks HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${greedy.apiKey}\r\n\r\n`

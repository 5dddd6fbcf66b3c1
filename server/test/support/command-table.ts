import type { LocalScene } from './command-scene.ts'

/** A command tried once with and once without success. */
export interface CommandTrial {
  /** The words after the command; made anew for each form that is tried. */
  words?(scene: LocalScene): Promise<string[]> | string[]
  /** What a person sees on stdout. */
  shows: RegExp
  /** What stdout has with `--json`: the fields of the document, or of the first of a list. */
  fields?: string[]
  /** The exit code, where it is not 0. */
  code?: number
  fails: { words: string[]; code: number; says: RegExp }
}

const unknownId = '01a1e75d-b99d-7000-93fe-4b1207cc9688'
const notFound = { words: [unknownId], code: 4, says: /^NOT_FOUND: / }
const badFlag = { words: ['--nonsense'], code: 2, says: /unknown option '--nonsense'/ }
const nobody = ['--account', 'nobody']
const noAccount = { words: nobody, code: 4, says: /nobody/ }
const page = ({ site }: LocalScene) => [site.url('/')]

let addressesCount = 0

/** One line for every command that ends by itself. */
export const commandTrials: Record<string, CommandTrial> = {
  'trawl scrape': {
    words: page,
    shows: /<h1>Cod<\/h1>/,
    fields: ['statusCode', 'url', 'html'],
    fails: { words: ['http://127.0.0.1:1/'], code: 1, says: /^URL_NOT_ALLOWED: /m },
  },
  'trawl extract': {
    words: ({ site }) => [site.url('/'), '--rules', '{"title":"h1"}'],
    shows: /^\{\n {2}"title": "Cod"\n\}\n$/,
    fields: ['data', 'metadata'],
    fails: { words: ['http://a.test/', '--rules', '[]'], code: 2, says: /must be a JSON object/ },
  },
  'trawl batch': {
    words: () => ['urls', '--out', 'batched'],
    shows: /^$/,
    fields: ['jobs', 'total', 'completed'],
    fails: { words: ['no-such-file'], code: 2, says: /Cannot read no-such-file: ENOENT/ },
  },
  'trawl crawl': {
    words: ({ site }) => [site.url('/'), '--out', 'crawled'],
    shows: /^$/,
    fields: ['jobs', 'total', 'completed'],
    fails: { words: [], code: 2, says: /Give a URL or --resume JOB_ID/ },
  },
  'trawl map': {
    words: page,
    shows: /^http:\S+\/b$/m,
    fields: ['links', 'metadata'],
    fails: { words: ['nonsense'], code: 2, says: /^VALIDATION_ERROR: .*\n {2}url: /m },
  },
  'trawl tasks list': {
    words: async (scene) => {
      await scene.endedTask()
      return ['--status', 'completed']
    },
    shows: /^id +status +kind +http +error +created_at +url\n\S{36} +completed +/,
    fields: ['tasks', 'page', 'page_count'],
    fails: { words: ['--status', 'eaten'], code: 2, says: /Allowed choices are queued/ },
  },
  'trawl tasks get': {
    words: async (scene) => [await scene.endedTask()],
    shows: /^status +completed$/m,
    fields: ['id', 'attempt_log'],
    fails: notFound,
  },
  'trawl tasks retry': {
    words: async (scene) => [await scene.endedTask(), '--no-callback'],
    shows: /^retry_of +\S{36}$/m,
    fields: ['id', 'retry_of'],
    fails: notFound,
  },
  'trawl tasks wait': {
    words: async (scene) => [await scene.endedTask()],
    shows: /^kind +extract\nstatus +completed$/m,
    fields: ['id', 'status'],
    fails: notFound,
  },
  'trawl tasks cancel': {
    words: async (scene) => [await scene.openTask()],
    shows: /^status +cancelled$/m,
    fields: ['id', 'status'],
    fails: { words: ['nonsense'], code: 2, says: /It must be an id/ },
  },
  'trawl jobs list': {
    words: async (scene) => {
      await scene.batch()
      return []
    },
    shows: /^job_id +kind +status +done +failed +created_at +url\n\S{36} +batch +\S+ +0\/1/,
    fields: ['jobs', 'page', 'page_count'],
    fails: { words: ['--kind', 'extract'], code: 2, says: /Allowed choices are batch, crawl, map/ },
  },
  'trawl jobs get': {
    words: async (scene) => [await scene.batch()],
    shows: /^kind +batch$/m,
    fields: ['job_id', 'results'],
    fails: {
      words: [unknownId],
      code: 4,
      says: /^NOT_FOUND: .*\n.*npx trawl tasks get 01a1e75d-/m,
    },
  },
  'trawl jobs wait': {
    words: async ({ call, site }) => {
      const { job_id } = await call('POST /v1/batch', { urls: [site.url('/')] })
      return [String(job_id)]
    },
    shows: /^kind +batch\nstatus +completed$/m,
    fields: ['job_id', 'status', 'completed'],
    fails: notFound,
  },
  'trawl jobs cancel': {
    words: async (scene) => [await scene.batch()],
    shows: /^status +cancelled$/m,
    fields: ['job_id', 'in_flight_urls'],
    fails: notFound,
  },
  'trawl webhooks list': {
    words: async (scene) => {
      await scene.webhook()
      return []
    },
    shows: /^id +event_type +is_active +url +description\n\S{36} /,
    fields: ['items', 'page_count'],
    fails: { words: ['--page', '0'], code: 2, says: /whole number from 1/ },
  },
  'trawl webhooks create': {
    words: ({ site }) => [site.url('/'), '--event', 'batch_completed', '--description', 'a'],
    shows: /^secret +whsec_\S+$/m,
    fields: ['id', 'secret'],
    fails: { words: ['nonsense'], code: 2, says: /^VALIDATION_ERROR: .*\n {2}url: /m },
  },
  'trawl webhooks test': {
    words: async (scene) => [await scene.webhook()],
    shows: /^delivered +true$/m,
    fields: ['delivered', 'http_status'],
    fails: notFound,
  },
  'trawl webhooks rotate-secret': {
    words: async (scene) => [await scene.webhook()],
    shows: /^secret +whsec_\S+$/m,
    fields: ['secret'],
    fails: notFound,
  },
  'trawl webhooks deliveries': {
    words: async (scene) => [await scene.webhook()],
    shows: /^\(none\)$/m,
    fields: ['items', 'page_count'],
    fails: notFound,
  },
  'trawl webhooks redeliver': {
    words: async (scene) => await scene.delivery(),
    shows: /^id +\S{36}$/m,
    fields: ['id'],
    fails: { ...notFound, words: [unknownId, unknownId] },
  },
  'trawl webhooks recover': {
    words: async (scene) => [await scene.webhook(), '--since', '2026-01-02'],
    shows: /^recovered +0$/m,
    fields: ['recovered'],
    fails: { words: [unknownId, '--since', 'lately'], code: 2, says: /must be a time such as/ },
  },
  'trawl profile save': {
    words: ({ url, apiKey }) => ['--server', url, '--api-key', apiKey],
    shows: /^file +\S+profile\.json$/m,
    fields: ['server', 'file'],
    fails: { words: [], code: 2, says: /Give --server URL/ },
  },
  'trawl profile show': {
    shows: /^api_key +trawl_\S{3}…$/m,
    fields: ['server', 'api_key'],
    fails: badFlag,
  },
  'trawl profile remove': { shows: /^removed +/m, fields: ['removed'], fails: badFlag },
  'trawl accounts create': {
    words: () => [`ada-${Math.random()}`],
    shows: /^api_key +trawl_/m,
    fields: ['username', 'password', 'api_key', 'callback_secret'],
    fails: { words: ['admin'], code: 1, says: /with this name .* exists already/ },
  },
  'trawl accounts list': {
    shows: /^username +enabled +created_at\nadmin +true/,
    fields: ['username'],
    fails: badFlag,
  },
  'trawl accounts enable': account(/^enabled +true$/m),
  'trawl accounts disable': {
    ...account(/^enabled +false$/m),
    words: async (scene) => {
      await scene.run(['accounts', 'create', 'spare'])
      return ['spare']
    },
  },
  'trawl accounts passwd': account(/^password +\S{16,}$/m),
  'trawl accounts rotate-secret': account(/^callback_secret +whsec_/m),
  'trawl login': {
    shows: /^url +http:\S+#sign-in=[\w-]{43}$/m,
    fields: ['url', 'account', 'expires_at'],
    fails: noAccount,
  },
  'trawl keys create': { shows: /^api_key +trawl_/m, fields: ['id', 'api_key'], fails: noAccount },
  'trawl keys list': { shows: /^id +label/, fields: ['id', 'label'], fails: noAccount },
  'trawl keys revoke': {
    words: async ({ run }) => {
      const { stdout } = await run(['keys', 'create', '--json'])
      return [JSON.parse(stdout).id]
    },
    shows: /^revoked +true$/m,
    fields: ['revoked'],
    fails: { words: [unknownId], code: 4, says: /./ },
  },
  'trawl ips add': {
    words: () => [`192.0.2.${++addressesCount}`],
    shows: /^192\.0\.2\./m,
    fields: ['ip'],
    fails: { words: ['nonsense'], code: 2, says: /neither an IP address nor a CIDR block/ },
  },
  'trawl ips list': { shows: /^ip +description/, fields: ['ip'], fails: noAccount },
  'trawl ips remove': {
    words: async ({ run }) => {
      await run(['ips', 'add', '198.51.100.7'])
      return ['198.51.100.7']
    },
    shows: /^ip +description|\(none\)/,
    fields: ['ip'],
    fails: { words: ['203.0.113.9'], code: 4, says: /./ },
  },
  'trawl secrets rotate': {
    words: () => ['--data-dir', `other-${Math.random()}`],
    shows: /^next +restart the service/m,
    fields: ['status', 'next'],
    fails: badFlag,
  },
  'trawl proxies list': { shows: /^\(none\)$/m, fails: badFlag },
  'trawl proxies test': {
    shows: /^\(none\)$/m,
    fails: { words: ['nobody'], code: 4, says: /No proxy is called nobody/ },
  },
  'trawl config': {
    shows: /^TRAWL_PORT +0 +environment TRAWL_PORT$/m,
    fields: ['TRAWL_PORT'],
    fails: { words: ['--port', 'nonsense'], code: 78, says: /TRAWL_PORT/ },
  },
  'trawl config schema': { shows: /"properties"/, fields: ['type'], fails: badFlag },
  'trawl openapi': { shows: /"openapi": "3\.1/, fields: ['openapi', 'paths'], fails: badFlag },
  'trawl doctor': {
    shows: /^ok {7}node /m,
    fields: ['isHealthy', 'checks'],
    fails: { words: ['--port', 'nonsense'], code: 78, says: /TRAWL_PORT/ },
  },
  'trawl browser find': {
    words: ({ browserPath }) => ['--browser-path', browserPath],
    shows: /^\/\S+\n$/,
    fields: ['browser', 'rejections'],
    fails: { words: ['--browser-path', '/no/chrome'], code: 78, says: /\/no\/chrome/ },
  },
  'trawl browser install': {
    words: ({ browserPath }) => ['--browser-path', browserPath],
    shows: /^\/\S+\n$/,
    fields: ['state', 'path'],
    fails: { words: ['--browser-path', '/no/chrome'], code: 1, says: /\/no\/chrome/ },
  },
  'trawl completion': {
    words: () => ['bash'],
    shows: /^complete -o default/m,
    fails: { words: ['tcsh'], code: 2, says: /Allowed choices are bash, zsh, fish/ },
  },
}

/** A change of the first account, and of one that does not exist. */
function account(shows: RegExp): CommandTrial {
  return {
    words: () => ['admin'],
    shows,
    fields: ['username'],
    fails: { words: ['nobody'], code: 4, says: /nobody/ },
  }
}

/** Commands that run until they are stopped; their own tests try them. */
export const endlessCommands = ['trawl serve', 'trawl listen', 'trawl tasks tail', 'trawl mcp']

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { conflictsBetween, securityWarnings } from './config-checks.ts'
import { type EnvironmentFacts, environmentFacts } from './config-environment.ts'
import {
  diskFreeMin,
  egressRules,
  password,
  proxies,
  roles,
  signingSecret,
} from './config-kinds.ts'
import { readJson } from './domain/read-json.ts'
import {
  addressList,
  bytes,
  choice,
  count,
  duration,
  durationList,
  hostList,
  key32,
  port,
  serverList,
  text,
  url,
} from './runtime/settings/setting-kinds.ts'
import {
  listSettings,
  readSettings,
  type Setting,
  type SettingOrigin,
  setting,
  settingsFileSchema,
} from './runtime/settings/settings.ts'

/** Every setting, grouped by the part that receives it. Every source gives values as text. */
const Settings = z.object({
  http: z.object({
    host: setting(text, {
      env: 'TRAWL_HOST',
      aliases: ['HOST'],
      about: 'Address to listen on.',
      default: '127.0.0.1',
    }),
    port: setting(port, {
      env: 'TRAWL_PORT',
      aliases: ['PORT'],
      about: 'Port to listen on; 0 picks a free one.',
      default: '8080',
    }),
    publicUrl: setting(url, {
      env: 'TRAWL_PUBLIC_URL',
      about: 'Origin of the links in callbacks and results.',
      defaultText: 'the listening URL',
    }),
    trustProxy: setting(addressList, {
      env: 'TRAWL_TRUST_PROXY',
      about: 'Reverse proxies in front of this service whose `X-Forwarded-For` is trusted.',
      default: '',
    }),
    allowedHosts: setting(hostList, {
      env: 'TRAWL_ALLOWED_HOSTS',
      about:
        'Further host names of this service, for callers without credentials and pages in browsers; its address, `localhost` and the host of `TRAWL_PUBLIC_URL` are known. `X-Forwarded-Host` is never trusted.',
      default: '',
    }),
    bodyBytesMax: setting(bytes, {
      env: 'TRAWL_BODY_LIMIT',
      about: 'Largest request body accepted.',
      default: '256kb',
    }),
    requestTimeoutMs: setting(duration, {
      env: 'TRAWL_REQUEST_TIMEOUT',
      about: 'How long a request may take to arrive, and a caller may stop reading a response.',
      default: '30s',
    }),
    connectionsMax: setting(count, {
      env: 'TRAWL_CONNECTIONS_MAX',
      about: 'Client connections open at once; one address may have half as many.',
      defaultText: 'half of the files the process may open, at most 20000',
    }),
    memoryBytesMax: setting(bytes, {
      env: 'TRAWL_MEMORY_MAX',
      about: 'Resident memory of the process beyond which new work gets 503 `OVERLOADED`.',
      defaultText: 'three quarters of what the machine or container has',
    }),
    drainDelayMs: setting(duration, {
      env: 'TRAWL_DRAIN_DELAY',
      about:
        'Graceful shutdown: how long all requests are still served after `/readyz` turned 503, for load balancers to notice.',
      defaultText: '5s, on loopback 0s',
    }),
  }),
  store: z.object({
    dataDir: setting(text, {
      env: 'TRAWL_DATA_DIR',
      about: 'Folder with all data of the embedded mode; deleting it resets the service.',
      default: './data',
    }),
    databaseUrl: setting(url, {
      env: 'TRAWL_DATABASE_URL',
      about: 'PostgreSQL to use, `postgres://…`, for several machines.',
      defaultText: 'SQLite in the data folder',
      isSecret: true,
    }),
    secretKey: setting(key32, {
      env: 'TRAWL_SECRET_KEY',
      about:
        'Encrypts secrets at rest and signs links. Required with PostgreSQL, the same on every machine.',
      defaultText: 'generated into the data folder',
      isSecret: true,
    }),
    diskFreeMin: setting(diskFreeMin, {
      env: 'TRAWL_DISK_FREE_MIN',
      about:
        "Share (`5%`) or size (`2gb`) of the data folder's volume that must stay free; below it new work gets 503 `STORE_FULL`.",
      default: '5%',
    }),
    accountBytesMax: setting(bytes, {
      env: 'TRAWL_ACCOUNT_STORAGE_MAX',
      about:
        'How much the results of one account may take. Beyond it the oldest are deleted within a minute; if deliveries still need all of them, new work gets 503 `STORE_FULL`.',
      defaultText: 'no limit',
    }),
    secretKeyPrevious: setting(key32, {
      env: 'TRAWL_SECRET_KEY_PREVIOUS',
      about:
        'The previous key during a rotation of `TRAWL_SECRET_KEY`: start every process with both, run `npx trawl secrets rotate`, remove this one.',
      defaultText: 'unset',
      isSecret: true,
    }),
  }),
  retention: z.object({
    resultsMs: setting(duration, {
      env: 'TRAWL_RESULT_RETENTION',
      about: 'How long results are kept.',
      default: '72h',
    }),
    tasksMs: setting(duration, {
      env: 'TRAWL_TASK_RETENTION',
      about: 'How long finished tasks, their attempts and their deliveries are kept.',
      default: '30d',
    }),
  }),
  roles: setting(roles, {
    env: 'TRAWL_ROLES',
    about: 'Roles of this process: `api`, `worker`, `delivery`.',
    default: 'api,worker,delivery',
  }),
  firstAccount: z.object({
    username: setting(
      text.refine((name) => !name.includes(':'), 'must not contain a colon'),
      { env: 'TRAWL_USERNAME', about: 'User name of the first account.', default: 'admin' },
    ),
    password: setting(password, {
      env: 'TRAWL_PASSWORD',
      about: 'Password of the first account, 8 characters or more, better 12.',
      defaultText: 'generated',
      isSecret: true,
    }),
    apiKey: setting(
      text.refine((key) => key.length >= 16, 'must have 16 characters or more'),
      {
        env: 'TRAWL_API_KEY',
        about: 'API key of the first account, any text of 16 characters or more.',
        defaultText: 'generated',
        isSecret: true,
      },
    ),
    callbackSecret: setting(signingSecret, {
      env: 'TRAWL_CALLBACK_SECRET',
      about:
        'Secret that signs the callbacks of the first account: `whsec_` and 24 to 64 bytes in base64, or any text of 24 characters or more.',
      defaultText: 'generated',
      isSecret: true,
    }),
  }),
  outbound: z.object({
    egressAllow: setting(egressRules, {
      env: 'TRAWL_EGRESS_ALLOW',
      about:
        'Addresses targets and callbacks may reach although they are not global (`10.0.0.0/8`, `callback=…`, `target=…`). Unset and listening on loopback only, callbacks may go to this machine; set, also to nothing, they may not, nor with `TRAWL_PUBLIC_URL`, `TRAWL_TRUST_PROXY` or without the role `api`. Listening ports of the service are never reached.',
      defaultText: 'unset',
      isEmptyMeant: true,
    }),
    dnsServers: setting(serverList, {
      env: 'TRAWL_DNS_SERVERS',
      about:
        "DNS servers for targets, proxies and callbacks (`9.9.9.9`, `127.0.0.1:5353`); none means the system's.",
      default: '',
    }),
    proxies: setting(proxies, {
      env: 'TRAWL_PROXIES',
      about:
        'JSON list of `{url, type: "residential"|"datacenter", country?, label?}`; `http`, `https` or `socks5` with credentials in the URL. A file is read again when it changes.',
      isSecret: true,
      isJson: true,
      default: '[]',
    }),
  }),
  browser: z.object({
    path: setting(text, {
      env: 'TRAWL_BROWSER_PATH',
      aliases: ['CHROME_PATH', 'CHROME_BIN', 'PUPPETEER_EXECUTABLE_PATH'],
      about: 'Chromium to use; a path that does not work is an error.',
      defaultText: 'found',
    }),
    install: setting(choice(['auto', 'never', 'force']), {
      env: 'TRAWL_BROWSER_INSTALL',
      about: 'Whether a missing Chromium is installed at the start of a worker.',
      default: 'auto',
    }),
    sandbox: setting(choice(['auto', 'require', 'off']), {
      env: 'TRAWL_BROWSER_SANDBOX',
      about: "Chromium's sandbox; auto: as root, where it cannot work, it is off, with a warning.",
      default: 'auto',
    }),
    flavor: setting(choice(['shell', 'chrome']), {
      env: 'TRAWL_BROWSER_FLAVOR',
      about: 'Which to prefer: the light headless shell or a full browser.',
      default: 'shell',
    }),
  }),
  dashboard: z.object({
    mode: setting(choice(['auto', 'built', 'off']), {
      env: 'TRAWL_DASHBOARD',
      about:
        'Whether `/` is the dashboard: `auto` builds it beside the running service where it is missing or out of date, `built` only serves what is built, `off` shows a plain page.',
      default: 'auto',
    }),
  }),
  workers: z.object({
    httpConcurrency: setting(count, {
      env: 'TRAWL_HTTP_CONCURRENCY',
      about: 'HTTP tasks run at once.',
      default: '64',
    }),
    deliveryConcurrency: setting(count, {
      env: 'TRAWL_DELIVERY_CONCURRENCY',
      about: 'Deliveries sent at once.',
      default: '64',
    }),
    browserConcurrency: setting(count, {
      env: 'TRAWL_BROWSER_CONCURRENCY',
      about:
        'Browser tasks run at once, to begin with: up to four times as many while CPU and memory are idle, down to the number of cores when the CPU is busy and to 1 when memory is short.',
      defaultText: 'the number of cores',
    }),
    queueMax: setting(count, {
      env: 'TRAWL_QUEUE_MAX',
      about: 'Tasks that wait or run, with either engine, in total; beyond it 429 `QUEUE_FULL`.',
      default: '200000',
    }),
    accountQueueMax: setting(count, {
      env: 'TRAWL_ACCOUNT_QUEUE_MAX',
      about: 'The same for one account.',
      default: '100000',
    }),
    crawlHostConcurrency: setting(count, {
      env: 'TRAWL_CRAWL_HOST_CONCURRENCY',
      about:
        'Pages of one host that crawls fetch at once, over all processes; up to a quarter more for accounts that hold none, one at a time where a delay applies.',
      default: '8',
    }),
    accountRunningMax: setting(count, {
      env: 'TRAWL_ACCOUNT_RUNNING_MAX',
      about:
        'Tasks of one account run at once, over all processes; HTTP and browser tasks are counted apart.',
      defaultText: 'no limit',
    }),
  }),
  queue: z.object({
    leaseMs: setting(duration, {
      env: 'TRAWL_LEASE',
      about:
        'How long a lease on a task lasts: the work of a process that died waits that long before another takes it. A heartbeat renews leases four times in that time.',
      default: '20s',
    }),
  }),
  delivery: z.object({
    scheduleMs: setting(durationList, {
      env: 'TRAWL_DELIVERY_SCHEDULE',
      about: 'Pauses before each delivery attempt (backoff); as many as there are attempts.',
      default: '0s,5s,30s,2m,10m,30m,2h,5h,10h,14h,20h,24h',
    }),
  }),
  log: z.object({
    level: setting(choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), {
      env: 'TRAWL_LOG_LEVEL',
      aliases: ['LOG_LEVEL'],
      about: 'JSON lines on stderr, pretty on a terminal.',
      default: 'info',
    }),
  }),
})

/** The settings as the parts receive them, and the facts of the environment that parts need. */
export type Config = z.output<typeof Settings> & { environment: EnvironmentFacts }

/** The merged settings, where each came from, and warnings. */
export interface LoadedConfig {
  config: Config
  origins: SettingOrigin[]
  warnings: string[]
}

export class ConfigProblems extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    )
    this.name = 'ConfigProblems'
    this.problems = problems
  }
}

export const allSettings = (): Setting[] => listSettings(Settings)

/** The browser settings with the variable that set the path. */
export const browserSettings = ({ browser, environment }: Config) => ({
  ...browser,
  pathOrigin: environment.browserPathOrigin,
})

/** JSON Schema of `trawl.config.json`; every value may also be the text that a variable would have. */
export const configFileSchema = (): unknown => settingsFileSchema(Settings)

/** Merges flags, environment, `.env` and `trawl.config.json` of the working folder; the first one wins. */
export function loadConfig(
  flags: Record<string, string | undefined>,
  environment: Record<string, string | undefined> = process.env,
  folder: string = process.cwd(),
): LoadedConfig {
  const { TRAWL_URL: _ofTheCommandLine, ...known } = environment
  const dotEnv = readIfPresent(join(folder, '.env'))
  const fileText = readIfPresent(join(folder, 'trawl.config.json'))
  const read = readSettings(Settings, {
    flags,
    environment: known,
    dotEnv: dotEnv === undefined ? {} : parseEnv(dotEnv),
    file: fileText === undefined ? undefined : parseFile(fileText),
    readSecretFile: (path) => readFileSync(path, 'utf8'),
  })
  const problems = [...read.problems, ...(read.values ? conflictsBetween(read.values) : [])]
  if (!read.values || problems.length > 0) throw new ConfigProblems(problems)
  const facts = environmentFacts(environment, read.origins)
  return {
    config: { ...read.values, environment: facts },
    origins: read.origins,
    warnings: [...read.warnings, ...securityWarnings(read.values)],
  }
}

function parseFile(fileText: string): unknown {
  const read = readJson(fileText)
  if ('value' in read) return read.value
  throw new ConfigProblems([`trawl.config.json ${read.problem}.`])
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new ConfigProblems([`${path} cannot be read: ${(error as Error).message}`])
  }
}

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { startCommandRuns } from './command-runs.ts'
import { type HoldingSite, startHoldingSite } from './holding-site.ts'
import { type PageSite, startPageSite } from './page-site.ts'
import type { EndedCommand } from './run-job-command.ts'
import { type RunningProgram, runTrawl } from './run-program.ts'
import { scratchFolder } from './scratch-folder.ts'
import { findTestBrowser } from './test-browser.ts'
import { serviceEnvironment } from './test-service.ts'
import { until } from './until.ts'

/** A service as a user starts it, and a folder beside its data in which commands are tried. */
export interface LocalScene {
  url: string
  cwd: string
  dataDir: string
  apiKey: string
  environment: Record<string, string>
  site: PageSite
  holding: HoldingSite
  /** Runs a command in a process that runs many. */
  run(args: string[]): Promise<EndedCommand>
  /** Runs a command in a process of its own. */
  start(args: string[], options?: { stdin?: string; through?: string[] }): RunningProgram
  call(request: string, body?: unknown): Promise<Record<string, unknown>>
  /** Ids of new jobs and tasks: one that has ended, and one that has not. */
  endedTask(): Promise<string>
  openTask(): Promise<string>
  batch(): Promise<string>
  webhook(): Promise<string>
  /** The ids of a webhook and of a delivery of it. */
  delivery(): Promise<string[]>
  browserPath: string
}

export async function startLocalScene(t: TestContext): Promise<LocalScene> {
  const cwd = await scratchFolder(t)
  const dataDir = join(cwd, 'data')
  await mkdir(dataDir)
  const environment = {
    ...serviceEnvironment({ dataDir }),
    TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
    TRAWL_DNS_SERVERS: '127.0.0.1',
    HOME: cwd,
  }
  const service = runTrawl(t, ['serve'], { cwd, environment })
  const [, url = ''] = await service.whenSaid(/API +(http:\S+)/)
  await service.whenSaid(/Try: /)
  const { api_key: apiKey } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'))
  const site = await startPageSite(t)
  site.page('/', '<main><h1>Cod</h1><a href="/b">b</a></main>')
  site.page('/b', '<main><h1>Hake</h1></main>')
  await writeFile(join(cwd, 'urls'), `${site.url('/')}\n${site.url('/b')}\n`)
  const holding = await startHoldingSite(t)

  const call: LocalScene['call'] = async (request, body) => {
    const [method = '', path = ''] = request.split(' ')
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${request}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
  // At most ten webhooks may be there at once.
  let shared: Promise<string> | undefined
  const idOf = async (request: string, body: unknown, name = 'job_id') =>
    String((await call(request, body))[name])
  const extraction = (target: string) =>
    idOf('POST /v1/extract', { url: target, processing_mode: 'async' })

  return {
    ...{ url, cwd, dataDir, apiKey, environment, site, holding, call },
    run: await startCommandRuns(t, { cwd, environment }),
    start: (args, options) => runTrawl(t, args, { cwd, environment, ...options }),
    async endedTask() {
      const id = await extraction(site.url('/'))
      const isEnded = async () => (await call(`GET /v1/extract/${id}`))['completed_at'] !== null
      await until(isEnded)
      return id
    },
    openTask: () => extraction(holding.url('/open')),
    batch: () => idOf('POST /v1/batch', { urls: [holding.url('/batch')] }),
    webhook() {
      const body = { url: site.url('/'), event_type: 'crawl_completed' }
      shared ??= idOf('POST /v1/webhooks', body, 'id')
      return shared
    },
    async delivery() {
      const body = { url: site.url('/'), event_type: 'extract_completed' }
      const id = await idOf('POST /v1/webhooks', body, 'id')
      await extraction(site.url('/'))
      const list = async () =>
        (await call(`GET /v1/webhooks/${id}/deliveries`))['items'] as { id: string }[]
      await until(async () => (await list()).length > 0)
      return [id, String((await list())[0]?.id)]
    },
    browserPath: await findTestBrowser(),
  }
}

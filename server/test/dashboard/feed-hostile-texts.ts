import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { basicOf, callApi } from '../support/call-api.ts'
import type { DashboardScene } from '../support/dashboard-scene.ts'
import { type PageSite, startPageSite } from '../support/page-site.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { until } from '../support/until.ts'
import type { XssCorpus } from './xss-corpus.ts'

export interface FedTexts {
  /** Addresses of the pages of `corpus.html` at their site. */
  htmlPages: string[]
  batchId: string
  crawlId: string
  webhookId: string
  /** Tasks that show each kind of text. */
  taskIds: Record<'headers' | 'rendered' | 'url' | 'callback' | 'failed' | 'file', string>
  /** Addresses of everything that can be previewed. */
  previews: string[]
}

/** Sends every text through the real service: scrapes, a batch, a crawl, webhooks, keys and addresses. */
export async function feedHostileTexts(
  t: TestContext,
  scene: DashboardScene,
  corpus: XssCorpus,
): Promise<FedTexts> {
  const { call } = scene
  const site = await startPageSite(t)
  const pages = publish(site, corpus)
  const webhookId = await feedWebhook(t, scene, corpus)
  await feedNames(scene, corpus)
  const started = await Promise.all([
    call('POST /v1/batch', {
      urls: [...pages.html, ...pages.texts, ...pages.others, ...corpus.redirects],
      formats: ['html', 'markdown'],
      ignore_invalid_urls: true,
      configurations: { retries: { useRetries: false } },
    }),
    call('POST /v1/crawl', {
      url: site.url('/rendered'),
      limit: 20,
      depth: 2,
      formats: ['html'],
      configurations: { retries: { useRetries: false } },
    }),
  ])
  const [batchId = '', crawlId = ''] = started.map((response) => {
    assert.equal(response.statusCode, 202, response.text)
    return String(response.json().job_id)
  })
  const taskIds = await feedTasks(scene, corpus, site)
  for (const path of [`/v1/batch/${batchId}`, `/v1/crawl/${crawlId}`]) {
    await until(async () => isOver((await call(`GET ${path}`)).json().status))
  }
  const listed = await call(`GET /v1/tasks?job=${batchId}&page_size=100`)
  const more = await call(`GET /v1/tasks?job=${batchId}&page_size=100&page=2`)
  const tasks = [...listed.json().tasks, ...more.json().tasks] as ListedTask[]
  const previews = [
    ...previewsOf(tasks, pages.html, ['html', 'markdown']),
    ...previewsOf(tasks, pages.texts, ['markdown']),
  ]
  assert.equal(previews.length, 2 * pages.html.length + pages.texts.length)
  const idOf = (fits: (task: ListedTask) => boolean): string => tasks.find(fits)?.id ?? ''
  return {
    htmlPages: pages.html,
    batchId,
    crawlId,
    webhookId,
    taskIds: {
      ...taskIds,
      failed: idOf(({ status }) => status === 'failed'),
      file: idOf(({ url }) => url.includes('/file/0')),
    },
    previews,
  }
}

interface ListedTask {
  id: string
  url: string
  status: string
}

const previewsOf = (tasks: ListedTask[], urls: string[], formats: string[]): string[] =>
  tasks
    .filter(({ url }) => urls.includes(url))
    .flatMap(({ id }) => formats.map((format) => `/v1/tasks/${id}/preview?format=${format}`))

const isOver = (status: string): boolean => !['queued', 'processing'].includes(status)

/** Puts the corpus on a site; returns the addresses. */
function publish(site: PageSite, corpus: XssCorpus) {
  const publishAll = (
    name: string,
    texts: readonly string[],
    page: (text: string) => Parameters<PageSite['page']>[1],
  ): string[] =>
    texts.map((text, index) => {
      site.page(`/${name}/${index}`, page(text))
      return site.url(`/${name}/${index}`)
    })
  const { headers, urls, consoles } = corpus
  const rendered = `<!doctype html><title>${corpus.titles[1]}</title>
    ${urls.map((path) => `<a href="${escaped(path)}">x</a><img src="${escaped(path)}">`).join('')}
    <script>${consoles.map((expression) => `console.log(${expression})`).join('\n')}</script>`
  site.page('/rendered', rendered)
  site.page('/headers', (_request, response) => {
    for (const [index, value] of headers.entries()) response.setHeader(`x-vector-${index}`, value)
    response.setHeader('set-cookie', [`a=${headers[1]}`, `b=${headers[6]}`])
    response.setHeader('link', headers[4] ?? '')
    response.setHeader('refresh', headers[5] ?? '')
    response.setHeader('content-type', 'text/html').end(corpus.html.slice(0, 5).join('\n'))
  })
  return {
    html: publishAll('html', corpus.html, (text) => `<!doctype html><p>${text}`),
    texts: publishAll('text', corpus.markdown, (text) => (_request, response) => {
      response.setHeader('content-type', 'text/plain; charset=utf-8').end(text)
    }),
    others: [
      ...publishAll('title', corpus.titles, (text) => `<title>${text}</title>${text}`),
      ...publishAll('file', corpus.fileNames, (text) => (_request, response) => {
        response.setHeader('content-disposition', text)
        response.setHeader('content-type', 'application/octet-stream').end('a,b')
      }),
      ...publishAll('redirect', corpus.redirects, (text) => (_request, response) => {
        response.writeHead(302, { location: text }).end()
      }),
      ...corpus.urls.map((path) => site.origin + path),
    ],
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** Tasks with headers, a console, requests of a page, and a callback. */
async function feedTasks({ call }: DashboardScene, corpus: XssCorpus, site: PageSite) {
  const extract = async (body: object): Promise<string> => {
    const response = await call('POST /v1/extract', body)
    assert.equal(response.statusCode, 200, response.text)
    return String(response.headers['x-job-id'])
  }
  const called = await call('POST /api/scraper/scrape/callback', {
    url: site.url('/headers'),
    callbackUrl: `${site.origin}${corpus.urls[1]}`,
    metadata: Object.fromEntries(corpus.names.map((name) => [name, name])),
  })
  assert.equal(called.statusCode, 202, called.text)
  return {
    headers: await extract({ url: site.url('/headers'), formats: ['html', 'markdown'] }),
    rendered: await extract({
      url: site.url('/rendered'),
      formats: ['html', 'markdown', 'screenshot'],
      render_js: true,
      configurations: { debug: true },
    }),
    url: await extract({ url: `${site.origin}${corpus.urls[6]}`, formats: ['markdown'] }),
    callback: String(called.json().requestId),
  }
}

async function feedWebhook(
  t: TestContext,
  { call }: DashboardScene,
  corpus: XssCorpus,
): Promise<string> {
  const receiver = await startTestReceiver(t)
  receiver.behave((_received, response) => {
    const index = receiver.received.length - 1
    const answer = corpus.answers[index % corpus.answers.length] ?? ''
    response.writeHead(index % 2 === 0 ? 500 : 200, { 'content-type': 'text/html' }).end(answer)
  })
  const site = await startPageSite(t)
  site.page('/page', '<p>x')
  let webhookId = ''
  for (const description of corpus.names) {
    const url = `${receiver.url}${corpus.urls[0]}`
    const response = await call('POST /v1/webhooks', {
      url,
      event_type: webhookId === '' ? 'extract_completed' : 'crawl_completed',
      description,
    })
    assert.equal(response.statusCode, 201, response.text)
    webhookId ||= String(response.json().id)
  }
  for (const _ of corpus.answers) {
    await call('POST /v1/extract', { url: site.url('/page'), formats: ['markdown'] })
  }
  await receiver.arrivals(corpus.answers.length)
  return webhookId
}

async function feedNames(
  { service, operator }: DashboardScene,
  { names }: XssCorpus,
): Promise<void> {
  const headers = { authorization: basicOf(operator.username, operator.password) }
  const send = async (request: string, body: unknown) => {
    const response = await callApi(service.url, request, { headers, body })
    assert.ok(response.statusCode < 300, `${request}: ${response.text}`)
  }
  for (const name of names) await send('POST /v1/keys', { name })
  await send('POST /api/configuration/active/whitelisted-ips', {
    ips: names.map((description, index) => ({ ip: `203.0.113.${index + 1}`, description })),
  })
}

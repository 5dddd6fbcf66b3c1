import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { linkPage } from './link-pages.ts'

/** A site that never ends: every page has links that no page had before. */
export interface EndlessSite {
  url(path: string): string
  /** Paths in the order of the requests. */
  readonly asked: readonly string[]
}

const wideCount = 8_000
const days = Array.from({ length: 31 }, (_, day) => day + 1)

export async function startEndlessSite(t: Pick<TestContext, 'after'>): Promise<EndlessSite> {
  const asked: string[] = []
  let last = 0
  const fresh = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, () => `${prefix}${++last}`)

  /** What the paths that begin with a word lead to. */
  const kinds: Record<string, (path: string) => string[] | { redirectsTo: string }> = {
    '': () => [
      '/never/robots',
      ...['/wide/1', '/calendar/2026/1', '/session?sid=0', '/deep/'],
      ...['/big/0', '/hop/0', '/chain/0', '/wide/2'],
    ],
    wide: () => fresh(`/leaf/${'a-long-path/'.repeat(10)}`, wideCount),
    leaf: () => fresh('/leaf/', 20),
    calendar(path) {
      const [, , year = '', month = ''] = path.split('/')
      const next = Number(month) === 12 ? `${Number(year) + 1}/1` : `${year}/${Number(month) + 1}`
      return [`/calendar/${next}`, ...days.map((day) => `/calendar/${year}/${month}/${day}`)]
    },
    session: () => fresh('/session?sid=', 30),
    deep: () => ['deeper/', './deeper/?again=1'],
    big: () => fresh('/big/', 30),
    hop: () => ({ redirectsTo: `/hop/${++last}` }),
    chain: () => (++last % 4 === 0 ? fresh('/chain/', 30) : { redirectsTo: `/chain/${++last}` }),
  }

  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    response.on('error', () => undefined)
    if (path === '/robots.txt') {
      return void writeForever(response, 'User-agent: *\nDisallow: /never\n', () =>
        fresh('Disallow: /other/*/', 100).join('\n'),
      )
    }
    if (path === '/sitemap.xml') {
      return void writeForever(response, '<urlset>', () =>
        fresh(`<url><loc>${origin}/leaf/`, 100).join('</loc></url>\n'),
      )
    }
    const [, word = ''] = path.split(/[/?]/)
    const content = (kinds[word] ?? kinds['leaf'])?.(path) ?? []
    if (!Array.isArray(content)) {
      return void response.writeHead(302, { location: content.redirectsTo }).end()
    }
    const padding = word === 'big' ? `<p>${'long text '.repeat(100_000)}</p>` : ''
    response.writeHead(200, { 'content-type': 'text/html' }).end(linkPage(content) + padding)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: (path) => origin + path, asked }
}

/** Until the client has enough. */
function writeForever(response: ServerResponse, head: string, more: () => string): void {
  function* text() {
    yield head
    for (;;) yield `${more()}\n`
  }
  response.writeHead(200, { 'content-type': 'text/plain' })
  const endless = Readable.from(text())
  endless.pipe(response).once('close', () => endless.destroy())
}

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pdfOf } from '../../support/pdf-of.ts'
import { until } from '../../support/until.ts'

/** The targets and receivers of both accounts, all on one port. */
export interface SharingSite extends AsyncDisposable {
  /** `host` is any address of 127.0.0.0/8: another origin. */
  url(path: string, host?: string): string
  /** The URL of this page for one request, which is reported when it has been answered. */
  watchedUrl(path: string, onAnswered: () => void): string
  /** A page or receiver that does not answer, or stops in the middle, until it is released. */
  hold(kind: HeldKind): HeldPage
}

interface HeldPage {
  url(host?: string): string
  /** Resolves once so many requests are held. */
  untilHeld(count: number): Promise<void>
  heldCount(): number
  /** Resolves once so many requests have come, those that were answered included. */
  untilAsked(count: number): Promise<void>
  /** Ends those that are held, and answers those that come later at once. */
  release(): void
}

type HeldKind = 'silent' | 'dribbling' | 'busy'

const mebibyte = 2 ** 20
const sixMebibytes = Buffer.alloc(6 * mebibyte, 'a')
const paragraph = '<p>A line about <a href="/small">fish</a> and <b>ships</b>, long enough.</p>'
const article = (paragraphs: number) => `<main><h1>Ships</h1>${paragraph.repeat(paragraphs)}</main>`

const pages: Record<string, string | Buffer> = {
  small: '<h1>small</h1><p>A page.</p>',
  page: article(100),
  article: article(2_000),
  long: article(1_200),
  large: Buffer.alloc(2 * mebibyte, 'b'),
  'short-pdf': pdf(3),
  'long-pdf': pdf(600),
}

function pdf(pageCount: number): Buffer {
  type Line = [size: number, left: number, bottom: number, text: string]
  const lines = Array.from({ length: 80 }, (_, n): Line => [8, 20, 780 - 9 * n, `Line ${n}`])
  return pdfOf(Array(pageCount).fill(lines))
}

const hundredWorkers = `<p>busy</p><script>
  const source = URL.createObjectURL(new Blob(['for (;;) {}']))
  for (let i = 0; i < 100; i += 1) new Worker(source)
</script>`

const holding: Record<HeldKind, (response: ServerResponse) => void> = {
  silent: () => undefined,
  dribbling: (response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 20 * mebibyte })
    response.write(sixMebibytes)
  },
  busy: (response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.write(hundredWorkers)
  },
}

/** Those whose bytes so far have all been read, which takes the memory. */
const countRead = (responses: Iterable<ServerResponse>): number =>
  [...responses].filter(({ writableLength }) => writableLength === 0).length

export async function startSharingSite(): Promise<SharingSite> {
  const held = new Map<string, { kind: HeldKind; responses: Set<ServerResponse> }>()
  const asked = new Map<string, number>()
  const watched = new Map<string, () => void>()
  const server = createServer((request, response) => {
    const [name = '', watch = ''] = (request.url ?? '').slice(1).split('?')
    request.resume()
    response.on('error', () => undefined)
    asked.set(name, (asked.get(name) ?? 0) + 1)
    const holder = held.get(name)
    if (!holder) {
      const type = name.endsWith('-pdf') ? 'application/pdf' : 'text/html'
      response.setHeader('content-type', type).end(pages[name] ?? pages['small'])
      watched.get(watch)?.()
      watched.delete(watch)
      return
    }
    holder.responses.add(response)
    response.once('close', () => holder.responses.delete(response))
    holding[holder.kind](response)
  }).listen(0, '0.0.0.0')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = (path: string, host = '127.0.0.1') => `http://${host}:${port}/${path}`
  let holdCount = 0
  return {
    url,
    watchedUrl(path, onAnswered) {
      const watch = randomUUID()
      watched.set(watch, onAnswered)
      return `${url(path)}?${watch}`
    },
    hold(kind) {
      holdCount += 1
      const name = `held-${holdCount}`
      const responses = new Set<ServerResponse>()
      held.set(name, { kind, responses })
      return {
        url: (host) => url(name, host),
        untilHeld: (count) => until(() => countRead(responses) >= count),
        heldCount: () => countRead(responses),
        untilAsked: (count) => until(() => (asked.get(name) ?? 0) >= count),
        release() {
          held.delete(name)
          for (const response of responses) {
            if (response.headersSent) response.destroy()
            else response.end()
          }
        },
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

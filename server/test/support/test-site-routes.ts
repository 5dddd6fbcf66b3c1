import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'

export interface Visit {
  request: IncomingMessage
  response: ServerResponse
  url: URL
  /** The rest of the path after the route's name. */
  argument: string
}

type RouteHandler = (visit: Visit) => void

export const sitePage =
  '<!doctype html><title>Test site</title><p class="first">größer &amp; "quoted"</p>\n'

const html = 'text/html; charset=utf-8'

const encoders: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => gzipSync(bytes),
  'x-gzip': (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  zstd: (bytes) => zstdCompressSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
}

const encodeAll = (bytes: Buffer, encodings: string[]): Buffer =>
  encodings.reduce((encoded, name) => encoders[name]?.(encoded) ?? encoded, bytes)

/** The word for "Japan", encoded in each charset. */
const japan: Record<string, Buffer> = {
  'utf-8': Buffer.from('日本'),
  shift_jis: Buffer.of(0x93, 0xfa, 0x96, 0x7b),
  'euc-jp': Buffer.of(0xc6, 0xfc, 0xcb, 0xdc),
  'utf-16le': Buffer.from('\ufeff日本', 'utf16le'),
}

const bombs: Record<string, Buffer | undefined> = {}
const bombBytes = 64 * 2 ** 20

/** `/name/argument?query` by its name. */
export const routes: Record<string, RouteHandler | undefined> = {
  /** `/`: a small page. */
  '': ({ response }) => sendHtml(response, sitePage),

  /** `/page/<word>`: a page that contains the word. */
  page: ({ response, argument }) => sendHtml(response, `<p>${argument}</p>`),

  /** `/status/<code>` */
  status: ({ response, argument }) =>
    response.writeHead(Number(argument), { 'content-type': html }).end(`<p>${argument}</p>`),

  /** `/echo`: the request's headers as JSON. */
  echo: ({ request, response }) => sendJson(response, JSON.stringify(request.headers)),

  json: ({ response }) =>
    sendJson(response, '{"fish": ["cod", "größer"], "id": 12345678901234567890}'),

  /** `/headers?name=value&…` sets response headers, repeated ones too. */
  headers({ response, url }) {
    const names = [...new Set(url.searchParams.keys())]
    for (const name of names) response.setHeader(name, url.searchParams.getAll(name))
    response.end('<p>headers</p>')
  },

  /** `/big/<bytes>` with a length, `/endless` without an end. */
  big: ({ response, argument }) => response.end(Buffer.alloc(Number(argument), 'a')),
  endless({ response }) {
    const piece = Buffer.alloc(2 ** 16, 'a')
    const more = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  },

  /** `/empty/<encoding>`: an encoding and no body. */
  empty: ({ response, argument }) =>
    response.writeHead(200, argument === '' ? {} : { 'content-encoding': argument }).end(),

  /** `/encoded/gzip`, `/encoded/gzip,br`: the page with these content encodings. */
  encoded: ({ response, argument }) =>
    sendEncoded(response, argument, encodeAll(Buffer.from(sitePage), argument.split(','))),
  'raw-deflate': ({ response }) =>
    sendEncoded(response, 'deflate', deflateRawSync(Buffer.from(sitePage))),
  /** `/cut-encoded/gzip`: the last bytes of the encoded text are missing. */
  'cut-encoded': ({ response, argument }) =>
    sendEncoded(response, argument, encodeAll(Buffer.from(sitePage), [argument]).subarray(0, -9)),
  'unknown-encoding': ({ response }) => sendEncoded(response, 'rot13', Buffer.from(sitePage)),
  /** `/bomb/gzip`: a decompression bomb of 64 MiB of zeros. */
  bomb({ response, argument }) {
    bombs[argument] ??= encodeAll(Buffer.alloc(bombBytes), argument.split(','))
    sendEncoded(response, argument, bombs[argument])
  },

  /** `/charset/<label>?in=header|meta`: Japanese text, with or without its charset declared. */
  charset({ response, url, argument }) {
    const place = url.searchParams.get('in')
    const type = place === 'header' ? `text/html; charset=${argument}` : 'text/html'
    const meta = place === 'meta' ? `<meta charset="${argument}">` : ''
    const body = Buffer.concat([Buffer.from(meta), japan[argument] ?? Buffer.alloc(0)])
    response.writeHead(200, { 'content-type': type }).end(body)
  },

  /** `/redirect/<code>?to=<location>`; without `to` there is no `Location`. */
  redirect({ response, url, argument }) {
    if (/^3\d\d$/.test(argument)) redirect(response, Number(argument), url.searchParams.get('to'))
    else response.writeHead(404).end()
  },
  /** `/chain/<n>`: n redirects, then a page. */
  chain: ({ response, argument }) =>
    Number(argument) === 0
      ? sendHtml(response, '<p>the end</p>')
      : redirect(response, 302, `/chain/${Number(argument) - 1}`),
  loop: ({ response }) => redirect(response, 302, '/loop'),
  /** The page of a firewall that asks for proof of a human visitor, known by its form alone. */
  'challenge-form': ({ response }) =>
    void response
      .writeHead(403, { 'content-type': 'text/html' })
      .end('<form><div class="h-captcha" data-sitekey="key"></div></form>'),

  /** `/set-cookie?cookie=<Set-Cookie>&cookie=…&to=<location>` */
  'set-cookie'({ response, url }) {
    response.setHeader('set-cookie', url.searchParams.getAll('cookie'))
    const to = url.searchParams.get('to')
    if (to === null) sendHtml(response, '<p>cookies</p>')
    else redirect(response, 302, to)
  },
  /** `/cookie-flood/<n>?to=<location>` */
  'cookie-flood'({ response, url, argument }) {
    const cookies = Array.from({ length: Number(argument) }, (_, index) => `c${index}=${index}`)
    response.setHeader('set-cookie', cookies)
    const to = url.searchParams.get('to')
    if (to === null) sendHtml(response, '<p>many</p>')
    else redirect(response, 302, to)
  },

  /** `/basic`: a page for `user:pass`. */
  basic({ request, response }) {
    const isKnown = request.headers.authorization === `Basic ${btoa('user:pass')}`
    if (isKnown) sendHtml(response, '<p>welcome</p>')
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end()
  },

  /** `/silent`: accepts the request and never responds. */
  silent() {},
  /** `/slow/<ms>`: the page after this delay. */
  slow({ response, argument }) {
    const timer = setTimeout(() => sendHtml(response, sitePage), Number(argument))
    response.on('close', () => clearTimeout(timer))
  },
  /** `/stuck`: headers and a part of the body, then nothing more. */
  stuck({ response }) {
    response.writeHead(200, { 'content-type': html, 'content-length': 100 })
    response.write('<p>the beg')
  },
  /** `/cut`: the connection ends before the body does. */
  cut({ response }) {
    response.writeHead(200, { 'content-type': html, 'content-length': 100 })
    response.write('<p>the beg', () => response.destroy())
  },
  /** `/reset`: resets the connection instead of responding. */
  reset: ({ request }) => request.socket.resetAndDestroy(),
  /** `/garbage`: not HTTP. */
  garbage: ({ request }) => request.socket.end('SSH-2.0-OpenSSH_9.9\r\n'),
  /** `/big-headers/<bytes>` */
  'big-headers'({ response, argument }) {
    response.setHeader('x-big', 'a'.repeat(Number(argument)))
    response.end()
  },
}

function sendHtml(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': html }).end(body)
}

function sendJson(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

function sendEncoded(response: ServerResponse, encoding: string, body: Buffer): void {
  response.writeHead(200, { 'content-type': html, 'content-encoding': encoding }).end(body)
}

function redirect(response: ServerResponse, code: number, to: string | null): void {
  // The location is written as UTF-8 bytes, as servers do.
  const location = to === null ? {} : { location: Buffer.from(to).toString('latin1') }
  response.writeHead(code, { 'content-type': html, ...location }).end(`<p>${code}</p>`)
}

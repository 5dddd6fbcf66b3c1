import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server before a service: it forwards, puts faults in the way, and is the target and the receiver. */
export interface TrialGateway extends AsyncDisposable {
  readonly origin: string
  /** What was forwarded: `GET /v1/batch/jobs`. */
  readonly forwarded: string[]
  /** Serves a script at `/trial/script.js`, and a page that loads it at `/trial/`. */
  serveScript(script: string): void
}

export async function startTrialGateway(serviceUrl: string): Promise<TrialGateway> {
  const forwarded: string[] = []
  const faultCounts = new Map<string, number>()
  let script = ''
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '/'
    const [, area = '', ...rest] = path.split('/')
    if (area === 'site') return answerAsSite(rest.join('/'), response)
    if (area === 'receiver') return void incoming.resume().on('end', () => response.end())
    if (area === 'trial') return answerAsPage(rest.join('/'), script, response)
    if (area !== 'fault') return forward(path, incoming, response)
    const [kind = '', count = '0', name = '', ...more] = rest
    const met = faultCounts.get(name) ?? 0
    faultCounts.set(name, met + 1)
    const fault = met < Number(count) ? faults[kind] : undefined
    if (fault) fault(response, () => forward(`/${more.join('/')}`, incoming, response))
    else forward(`/${more.join('/')}`, incoming, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function forward(path: string, incoming: IncomingMessage, response: ServerResponse): void {
    forwarded.push(`${incoming.method} ${path.split('?')[0]}`)
    const headers = { ...incoming.headers, host: new URL(serviceUrl).host }
    // As a reverse proxy that the service knows by its public URL.
    if (headers.origin === origin) headers.origin = serviceUrl
    const passed = request(serviceUrl + path, { method: incoming.method ?? '', headers })
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    incoming.pipe(passed)
  }

  return {
    origin,
    forwarded,
    serveScript(text) {
      script = text
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Fault = (response: ServerResponse, forward: () => void) => void

const faults: Record<string, Fault> = {
  429: (response) => respondWithError(response, 429, 'RATE_LIMITED'),
  503: (response) => respondWithError(response, 503, 'SHUTTING_DOWN'),
  engine: (response) => respondWithError(response, 503, 'BROWSER_UNAVAILABLE'),
  html: (response) => void response.writeHead(502).end('<h1>Bad Gateway</h1>'),
  silent: () => undefined,
  drop: (response) => void response.socket?.destroy(),
  cut(response) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    response.write('{"extraction', () => response.socket?.destroy())
  },
  /** The service gets the request, but its answer does not come back. */
  lose(response, forward) {
    const lost = response as { writeHead: unknown }
    lost.writeHead = () => {
      response.socket?.destroy()
      return response
    }
    forward()
  },
}

function respondWithError(response: ServerResponse, status: number, code: string): void {
  const headers = { 'content-type': 'application/json', 'retry-after': '0' }
  const body = { code, message: 'Not now.', correlation_id: 'from-the-gateway', retryable: true }
  response.writeHead(status, headers).end(JSON.stringify(body))
}

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

function answerAsSite(page: string, response: ServerResponse): void {
  if (page === 'held') return // answered when the connection ends
  if (page === 'reset') return void response.socket?.resetAndDestroy()
  if (page === 'image') {
    return void response.writeHead(200, { 'content-type': 'image/png' }).end(pixel)
  }
  const links = page === 'index' ? '<a href="a">A</a> <a href="b">B</a>' : ''
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<title>${page}</title><h1>Fish</h1><p>A page about fish: ${page}.</p>${links}`)
}

function answerAsPage(file: string, script: string, response: ServerResponse): void {
  const isScript = file === 'script.js'
  const type = isScript ? 'text/javascript' : 'text/html'
  const page = '<title>trial</title><script type="module" src="script.js"></script>'
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8` })
  response.end(isScript ? script : page)
}

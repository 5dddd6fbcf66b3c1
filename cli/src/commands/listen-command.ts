import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import { readLocalCredentials, readLocalSettings } from '../client/local-settings.ts'
import { withDataDirOption } from '../client/service-options.ts'
import { CommandFailure } from '../command-failure.ts'
import { watchSignals } from '../interruption.ts'
import { say } from '../output/messages.ts'
import { terminalJson } from '../output/terminal-text.ts'
import { wholeNumber } from './arguments.ts'
import { describeReceived, formatReceived } from './received-message.ts'

const bodyBytesMax = 16 * 1024 * 1024
const requestMsMax = 60_000
const idsRememberedMax = 10_000

interface ListenOptions {
  port: number
  host: string
  secret?: string
  fail?: number
  json?: true
  dataDir?: string
}

export function addListenCommand(program: Command): void {
  withDataDirOption(program.command('listen'))
    .description('receive callbacks and webhooks on this machine, check and print them')
    .option(
      '--port <number>',
      'port to listen on; 0 picks a free one',
      wholeNumber(0, 65_535),
      9000,
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--secret <whsec>', "their secret; the first account's callback secret by default")
    .option('--fail <status>', 'respond with this status, to see retries', wholeNumber(200, 599))
    .option('--json', 'one JSON document a line')
    .action(listen)
}

async function listen(options: ListenOptions): Promise<void> {
  const secret = options.secret ?? readLocalCredentials(readLocalSettings(options)).callbackSecret
  using signals = watchSignals()
  const stopped = once(signals.signal, 'abort')
  const server = createServer({ requestTimeout: requestMsMax }, receiver(options, secret))
  const url = await startListening(server, options)
  say(`Listening on ${url}; ${secret ? 'signatures are checked' : noSecretAdvice}.`)
  say('Stop with Ctrl-C.')

  await stopped
  server.close()
  server.closeAllConnections()
}

const noSecretAdvice = 'signatures are NOT checked: give --secret whsec_…'

function receiver({ fail, json }: ListenOptions, secret: string | undefined) {
  const ids = new Set<string>()

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return respond(response, 405)
    const body = await readBody(request)
    if (body === 'lost') return
    if (body === 'too large') {
      console.error(`A body of more than ${bodyBytesMax} bytes was refused.`)
      return respond(response.setHeader('connection', 'close'), 413)
    }
    const headers = textHeaders(request)
    const message = await describeReceived(
      { path: request.url ?? '/', headers, body },
      { secret, isRepeated: isRepeated(ids, headers['webhook-id']), nowMs: Date.now() },
    )
    console.log(json ? shownJson(message) : formatReceived(message))
    respond(response, fail ?? 204)
  }
}

const shownJson = (message: object): string =>
  process.stdout.isTTY ? terminalJson(JSON.stringify(message)) : JSON.stringify(message)

function respond(response: ServerResponse, status: number): void {
  response.writeHead(status).end()
}

/** Returns 'lost' when the sender disconnects early, which must not end the command. */
async function readBody(request: IncomingMessage): Promise<Buffer | 'too large' | 'lost'> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // Not destroyed when the body is too large: the response needs the socket.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length
      if (bytes > bodyBytesMax) return 'too large'
      chunks.push(chunk)
    }
  } catch {
    return 'lost'
  }
  return Buffer.concat(chunks)
}

const textHeaders = ({ headers }: IncomingMessage): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]))

function isRepeated(ids: Set<string>, id: string | undefined): boolean {
  if (id === undefined) return false
  // Removed and added, the id is the newest; the oldest is forgotten first.
  const isKnown = ids.delete(id)
  ids.add(id)
  const [oldest] = ids
  if (oldest !== undefined && ids.size > idsRememberedMax) ids.delete(oldest)
  return isKnown
}

async function startListening(server: Server, { port, host }: ListenOptions): Promise<string> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const advice = `Port ${port} is in use. Try: npx trawl listen --port ${port + 1}`
    throw new CommandFailure(
      'unavailable',
      code === 'EADDRINUSE' ? advice : `Cannot listen on ${host}:${port}: ${message}`,
    )
  }
  const { address, family, port: bound } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`
}

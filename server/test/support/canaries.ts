import { createServer, isIPv4 } from 'node:net'
import type { TestContext } from 'node:test'
import { bindBeside } from './test-dns.ts'

/** A listener that no connection must reach (an SSRF canary); it records the ones that do. */
interface Canary {
  readonly name: string
  readonly port: number
  /** `host:port` as a URL has it. */
  readonly authority: string
}

export interface Canaries {
  readonly all: readonly Canary[]
  /** Names of the canaries that were reached over TCP or UDP since the set was last cleared. */
  readonly reached: Set<string>
}

const response =
  'HTTP/1.1 200 OK\r\ncontent-length: 0\r\naccess-control-allow-origin: *\r\nconnection: close\r\n\r\n'

/** Gives each canary its own port, so that a test knows which path led to it. */
export async function startCanaries(
  t: Pick<TestContext, 'after'>,
  names: readonly string[],
  host = '127.0.0.3',
): Promise<Canaries> {
  const reached = new Set<string>()
  const start = async (name: string): Promise<Canary> => {
    const port = await listen(t, host, () => reached.add(name))
    return { name, port, authority: isIPv4(host) ? `${host}:${port}` : `[${host}]:${port}` }
  }
  return { all: await Promise.all(names.map(start)), reached }
}

async function listen(
  t: Pick<TestContext, 'after'>,
  host: string,
  onReached: () => void,
): Promise<number> {
  const tcp = createServer((socket) => {
    onReached()
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(response))
  })
  t.after(() => tcp.close())
  const udp = await bindBeside(tcp, host)
  t.after(() => udp.close())
  udp.on('message', onReached)
  return udp.address().port
}

import { createServer, isIPv4 } from 'node:net'
import type { TestContext } from 'node:test'
import { bindBeside } from './test-dns.ts'

/** Someone who must not be reached, and tells when he was. */
interface Canary {
  readonly name: string
  readonly port: number
  /** As it stands in a URL. */
  readonly authority: string
}

export interface Canaries {
  readonly all: readonly Canary[]
  /** The names of those that were reached, over TCP or UDP, since they were last cleared. */
  readonly reached: Set<string>
}

const answer =
  'HTTP/1.1 200 OK\r\ncontent-length: 0\r\naccess-control-allow-origin: *\r\nconnection: close\r\n\r\n'

/** One port each, so that it is known by which way somebody came. */
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
    socket.once('data', () => socket.end(answer))
  })
  t.after(() => tcp.close())
  const udp = await bindBeside(tcp, host)
  t.after(() => udp.close())
  udp.on('message', onReached)
  return udp.address().port
}

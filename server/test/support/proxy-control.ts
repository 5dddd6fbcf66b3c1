import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** What was asked of a proxy: a request to be passed on, or a tunnel. */
export interface ProxyRequest {
  kind: 'request' | 'tunnel'
  /** `host:port` of a tunnel, the whole URL of a request. */
  target: string
  /** `name:password` as the client sent them. */
  user: string | undefined
}

/**
 * `refuse` is an error response of the proxy protocol, `unauthorized` one about the credentials,
 * `close` and `reset` end every connection before a response, `hang` never responds, `lag` responds
 * late, `babble` sends bytes of another protocol.
 */
export type ProxyBehaviour =
  | 'serve'
  | 'refuse'
  | 'unauthorized'
  | 'close'
  | 'reset'
  | 'hang'
  | 'lag'
  | 'babble'

interface Address {
  host: string
  port: number
}

/** What both kinds of proxies go by. */
export interface ProxyControl {
  behaviour(): ProxyBehaviour
  /** `name:password` */
  expectedUser: string | undefined
  addressOf(host: string, port: number): Address
  /** Whether the tunnel to that `host:port` is never answered. */
  isHeld(target: string): boolean
  record(ask: ProxyRequest): void
}

/** Undefined where nobody is there. */
export async function dialTarget(place: Address): Promise<Socket | undefined> {
  const target = connect(place)
  target.on('error', () => undefined)
  await once(target, 'connect').catch(() => undefined)
  return target.destroyed ? undefined : target
}

export function splice(client: Duplex, target: Socket): void {
  client.pipe(target).pipe(client)
  client.once('close', () => target.destroy())
  target.once('close', () => client.destroy())
}

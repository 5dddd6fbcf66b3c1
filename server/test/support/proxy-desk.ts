import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** What was asked of a proxy: a request to be passed on, or a tunnel. */
export interface ProxiedAsk {
  kind: 'request' | 'tunnel'
  /** `host:port` of a tunnel, the whole URL of a request. */
  target: string
  /** `name:password`, as they were sent. */
  user: string | undefined
}

/**
 * `refuse` says so in its protocol, `unauthorized` does so for the credentials, `close` and `reset` end
 * every connection before an answer, `hang` never says anything, `lag` is late with everything, `babble` says
 * what is no protocol.
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

interface Place {
  host: string
  port: number
}

/** What both kinds of proxies go by. */
export interface ProxyDesk {
  behaviour(): ProxyBehaviour
  /** `name:password` */
  expected: string | undefined
  placeOf(host: string, port: number): Place
  /** Whether the tunnel to that `host:port` is never answered. */
  isHeld(target: string): boolean
  write(ask: ProxiedAsk): void
}

/** Undefined where nobody is there. */
export async function dialTarget(place: Place): Promise<Socket | undefined> {
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

import type { IncomingMessage } from 'node:http'
import { canonicalAuthority, canonicalHost, canonicalName } from '../runtime/host-name.ts'

export interface OwnOriginSettings {
  /** The address or name that was listened on. */
  host: string
  publicUrl?: string | undefined
  allowedHosts: readonly string[]
}

/** What a request says about where it was sent to, and where it arrived. */
export type Arrival = Pick<IncomingMessage, 'headersDistinct'> & {
  socket: Pick<IncomingMessage['socket'], 'localAddress' | 'localPort'>
}

/** Under which names and origins this service is reached. `X-Forwarded-Host` is never looked at. */
export class OwnOrigins {
  readonly #names: ReadonlySet<string | undefined>
  readonly #publicOrigin: string | undefined

  constructor({ host, publicUrl, allowedHosts }: OwnOriginSettings) {
    const publicAt = publicUrl === undefined ? undefined : new URL(publicUrl)
    this.#publicOrigin = publicAt?.origin
    const publicName = publicAt && canonicalHost(publicAt.host)
    const names = ['localhost', canonicalName(host), publicName, ...allowedHosts.map(canonicalName)]
    this.#names = new Set(names.filter((name) => name !== undefined))
  }

  /**
   * Whether the request names a host of ours. A page whose name was made to lead here (DNS rebinding)
   * names its own. The port is not compared: it may be forwarded, and says nothing about the name.
   */
  knowsHost(arrival: Arrival): boolean {
    const name = canonicalHost(hostOf(arrival) ?? '')
    if (name === undefined) return false
    return this.#names.has(name) || name === canonicalName(arrival.socket.localAddress ?? '')
  }

  /** Whether pages of this origin are ours: the listening one, the public URL's, or that of a known `Host`. */
  owns(origin: string, arrival: Arrival): boolean {
    const { protocol, host } = URL.parse(origin) ?? {}
    if (host === undefined || (protocol !== 'http:' && protocol !== 'https:')) return false
    if (origin === this.#publicOrigin || origin === listeningOrigin(arrival)) return true
    // Any scheme, since TLS may end at a proxy in front of us; another port is another service.
    const authority = canonicalAuthority(protocol, hostOf(arrival) ?? '')
    return origin === `${protocol}//${authority}` && this.knowsHost(arrival)
  }
}

/** Two hosts name none: a proxy in front of us may have believed the other one. */
function hostOf({ headersDistinct: { host = [] } }: Arrival): string | undefined {
  return host.length === 1 ? host[0] : undefined
}

function listeningOrigin({
  socket: { localAddress = '', localPort },
}: Arrival): string | undefined {
  const name = canonicalName(localAddress)
  if (name === undefined || localPort === undefined) return undefined
  return URL.parse(`http://${name.includes(':') ? `[${name}]` : name}:${localPort}`)?.origin
}

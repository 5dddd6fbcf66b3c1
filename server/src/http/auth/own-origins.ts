import type { IncomingMessage } from 'node:http'
import { parseUrl } from '../../domain/parse-url.ts'
import { canonicalAuthority, canonicalHost, canonicalName } from '../../runtime/host-name.ts'

export interface OwnOriginSettings {
  /** The address or name that the service listens on. */
  host: string
  publicUrl?: string | undefined
  allowedHosts: readonly string[]
}

/** The parts of a request that say which host it was sent to and where it arrived. */
export type Arrival = Pick<IncomingMessage, 'headersDistinct'> & {
  socket: Pick<IncomingMessage['socket'], 'localAddress' | 'localPort'>
}

/** The host names and origins of this service. `X-Forwarded-Host` is ignored, since anybody can set it. */
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
   * Whether the `Host` header names this service. With DNS rebinding a foreign page reaches this address,
   * but the header has the name of its own host. The port is not compared, since it may be forwarded.
   */
  knowsHost(arrival: Arrival): boolean {
    const name = canonicalHost(hostOf(arrival) ?? '')
    if (name === undefined) return false
    return this.#names.has(name) || name === canonicalName(arrival.socket.localAddress ?? '')
  }

  /** Whether pages of this origin are ours: it is the listening, the public, or that of a known `Host`. */
  owns(origin: string, arrival: Arrival): boolean {
    const { protocol, host } = parseUrl(origin) ?? {}
    if (host === undefined || (protocol !== 'http:' && protocol !== 'https:')) return false
    if (origin === this.#publicOrigin || origin === listeningOrigin(arrival)) return true
    // Either scheme, since a reverse proxy may terminate TLS; another port is another service.
    const authority = canonicalAuthority(protocol, hostOf(arrival) ?? '')
    return origin === `${protocol}//${authority}` && this.knowsHost(arrival)
  }
}

/** Two `Host` headers count as none: a reverse proxy may have used the other one. */
function hostOf({ headersDistinct: { host = [] } }: Arrival): string | undefined {
  return host.length === 1 ? host[0] : undefined
}

function listeningOrigin({
  socket: { localAddress = '', localPort },
}: Arrival): string | undefined {
  const name = canonicalName(localAddress)
  if (name === undefined || localPort === undefined) return undefined
  return parseUrl(`http://${name.includes(':') ? `[${name}]` : name}:${localPort}`)?.origin
}

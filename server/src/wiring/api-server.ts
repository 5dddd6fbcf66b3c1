/** Builds the HTTP server: its routes by the roles of this process, its limits, and how it stops. */
import type { Config } from '../config.ts'
import type { AppOptions } from '../http/app.ts'
import { probes, routes } from '../http/routes.ts'
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../http/server.ts'
import { isLoopbackHost } from '../runtime/ip-block.ts'
import { openFilesMax } from '../runtime/machine/open-files.ts'

interface ApiServerParts
  extends Pick<AppOptions, 'drain' | 'log' | 'metrics' | 'useCases'>,
    Required<Pick<HttpServerOptions, 'onListening'>> {
  config: Config
  work: {
    markStopping(): void
    /** Called when new requests are refused, with the time left for requests in flight. */
    stopClaiming(inFlightMsMax: number): void
  }
}

// Orchestrators give 30 s for a graceful shutdown; the rest is for releasing leases and the store.
const drainMsMax = 25_000
const inFlightMsMin = 5_000
// The other half of the file descriptors is for targets, receivers and the store.
const connectionsMaxByDefault = () => Math.min(Math.ceil(openFilesMax() / 2), 20_000)

export function startApiServer(parts: ApiServerParts): Promise<HttpServer> {
  const { http, roles } = parts.config
  const drainDelayMs = http.drainDelayMs ?? (isLoopbackHost(http.host) ? 0 : 5_000)
  const inFlightMsMax = Math.max(drainMsMax - drainDelayMs, inFlightMsMin)
  return startHttpServer({
    host: http.host,
    port: http.port,
    publicUrl: http.publicUrl,
    allowedHosts: http.allowedHosts,
    trustProxy: http.trustProxy,
    bodyBytesMax: http.bodyBytesMax,
    requestTimeoutMs: http.requestTimeoutMs,
    connectionsMax: http.connectionsMax ?? connectionsMaxByDefault(),
    routes: roles.includes('api') ? routes : probes,
    useCases: parts.useCases,
    drain: parts.drain,
    drainDelayMs,
    inFlightMsMax,
    onDraining: parts.work.markStopping,
    onRefusing: () => parts.work.stopClaiming(inFlightMsMax),
    onListening: parts.onListening,
    log: parts.log,
    metrics: parts.metrics,
  })
}

import type { Health } from './api.ts'
import type { CallOptions, Query, Transport } from './transport.ts'

/** The state of the service; no credentials needed. */
export class ServiceApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Whether the process runs. */
  getLiveness(options?: CallOptions) {
    return this.#transport.call('GET /livez', { options })
  }

  /** Whether it takes requests; throws a `ServerError` if not. */
  getReadiness(query?: Query<'GET /readyz'>, options?: CallOptions) {
    return this.#transport.call('GET /readyz', { query, options })
  }

  /** Also if the service is `unavailable`. */
  getHealth(options?: CallOptions): Promise<Health> {
    return this.#transport.call('GET /health', { options, alsoOk: 503 })
  }

  /** Metrics as Prometheus reads them. */
  getMetrics(options?: CallOptions): Promise<string> {
    return this.#transport.send('GET /metrics', { options }, (response) => response.text())
  }

  getPressure(options?: CallOptions) {
    return this.#transport.call('GET /pressure', { options })
  }

  getCapabilities(options?: CallOptions) {
    return this.#transport.call('GET /capabilities', { options })
  }

  /** The OpenAPI description of the service. */
  getOpenapi(options?: CallOptions) {
    return this.#transport.call('GET /openapi.json', { options })
  }
}

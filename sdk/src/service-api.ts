import type { Health } from './api.ts'
import { ApiFamily } from './api-family.ts'
import type { CallOptions, Query } from './transport.ts'

/** The state of the service; no credentials needed. */
export class ServiceApi extends ApiFamily {
  /** Whether the process runs. */
  getLiveness(options?: CallOptions) {
    return this.call('GET /livez', { options })
  }

  /** Whether it takes requests; throws a `ServerError` if not. */
  getReadiness(query?: Query<'GET /readyz'>, options?: CallOptions) {
    return this.call('GET /readyz', { query, options })
  }

  /** Also if the service is `unavailable`. */
  getHealth(options?: CallOptions): Promise<Health> {
    return this.call('GET /health', { options, alsoOk: 503 })
  }

  /** Metrics as Prometheus reads them. */
  getMetrics(options?: CallOptions): Promise<string> {
    return this.send('GET /metrics', { options }, (response) => response.text())
  }

  getPressure(options?: CallOptions) {
    return this.call('GET /pressure', { options })
  }

  getCapabilities(options?: CallOptions) {
    return this.call('GET /capabilities', { options })
  }

  /** The OpenAPI description of the service. */
  getOpenapi(options?: CallOptions) {
    return this.call('GET /openapi.json', { options })
  }
}

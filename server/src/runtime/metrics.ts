import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Every figure this process tells about itself. No account, host or URL is ever a label. */
export function createMetrics(sources: { storeClockOffsetMs: () => number }) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'trawl_' })
  new Gauge({
    name: 'trawl_db_clock_offset_seconds',
    help: "How far the store's clock is ahead of this machine's.",
    registers: [registry],
    collect() {
      this.set(sources.storeClockOffsetMs() / 1000)
    },
  })
  return {
    text: () => registry.metrics(),
    requestSeconds: new Histogram({
      name: 'trawl_http_server_request_duration_seconds',
      help: 'Time from the first byte of a request to the last of its answer.',
      labelNames: ['method', 'route', 'status'],
      // The buckets of OpenTelemetry's semantic conventions.
      buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
      registers: [registry],
    }),
  }
}

export type Metrics = ReturnType<typeof createMetrics>

import { setTimeout as pause } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** The Prometheus metrics of this process. No label names an account, host or URL; a proxy is labelled by its operator's name for it. */
export function createMetrics(sources: { storeClockOffsetMs: () => number }) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'trawl_' })
  const gauges = createGauges(registry)
  gauges.read(
    'db_clock_offset_seconds',
    "How far the store's clock is ahead of this machine's.",
    () => sources.storeClockOffsetMs() / 1000,
  )
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: `trawl_${name}`, help, labelNames, registers: [registry] })
  const seconds = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Histogram({
      name: `trawl_${name}_seconds`,
      help,
      labelNames,
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers: [registry],
    })
  return {
    ...gauges,
    proxyAttempts: counter('proxy_attempts_total', 'Attempts made through proxies.', [
      'proxy',
      'outcome',
    ]),
    admissionRejected: counter('admission_rejected_total', 'New work that was rejected.', ['code']),
    mcpCalls: counter('mcp_calls_total', 'Calls of MCP tools that have ended.', [
      'tool',
      'outcome',
    ]),
    text: rarely(() => registry.metrics()),
    tasksEnded: counter('scrape_tasks_total', 'Tasks that have ended.', ['engine', 'outcome']),
    taskSeconds: seconds('scrape_task_duration', 'Time from start to end of a task.', ['engine']),
    browserRestarts: counter('browser_restarts_total', 'Browsers that were restarted.', ['reason']),
    leaseReclaims: counter('lease_reclaims_total', 'Leases reclaimed from dead processes.'),
    orphansRequeued: counter(
      'orphans_requeued_total',
      'Open tasks and pending deliveries that had lost their queue entry and got a new one.',
      ['kind'],
    ),
    fencedWrites: counter('fenced_writes_total', 'Writes refused because the lease was lost.'),
    deliveryAttempts: counter('delivery_attempts_total', 'Delivery attempts.', ['result']),
    deliverySeconds: seconds('delivery_duration', 'Duration of a delivery attempt.'),
    deadLetters: counter('delivery_dead_letter_total', 'Deliveries that were given up.'),
    egressBlocked: counter('egress_blocked_total', 'Connections the egress guard refused.', [
      'purpose',
      'reason',
    ]),
    requestSeconds: new Histogram({
      name: 'trawl_http_server_request_duration_seconds',
      help: 'Time from the first byte of a request to the last byte of its response.',
      labelNames: ['method', 'route', 'status'],
      // The buckets of OpenTelemetry's semantic conventions.
      buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
      registers: [registry],
    }),
  }
}

/** Two scrapers of the same process never notice it. */
const textPauseMs = 250

/**
 * Rendering takes the event loop milliseconds and needs no credentials, so it is done a few times a second at
 * most. Who asks in between waits for the next text, and so never reads one older than the question.
 */
function rarely(render: () => Promise<string>): () => Promise<string> {
  let dueAtMs = 0
  let next: Promise<string> | undefined
  async function renderNext(): Promise<string> {
    await pause(Math.max(0, dueAtMs - performance.now()))
    // Who asks from here on gets a later text.
    next = undefined
    dueAtMs = performance.now() + textPauseMs
    return render()
  }
  return () => {
    next ??= renderNext()
    return next
  }
}

/** Gauges whose values are read at each scrape of the metrics. */
function createGauges(registry: Registry) {
  /** A gauge with several labels. */
  const readSeries = <Label extends string>(
    labelNames: Label[],
    name: string,
    help: string,
    read: () => (readonly [labels: Partial<Record<Label, string>>, amount: number])[],
  ): void => {
    new Gauge({
      name: `trawl_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset()
        for (const [labels, amount] of read()) this.set(labels, amount)
      },
    })
  }
  return {
    readSeries,
    /** A gauge with one label. */
    readBy: (
      label: string,
      name: string,
      help: string,
      read: () => (readonly [value: string, amount: number])[],
    ) =>
      readSeries([label], name, help, () =>
        read().map(([value, amount]) => [{ [label]: value }, amount]),
      ),
    /** A gauge without labels. */
    read: (name: string, help: string, read: () => number) =>
      readSeries([], name, help, () => [[{}, read()]]),
  }
}

export type Metrics = ReturnType<typeof createMetrics>

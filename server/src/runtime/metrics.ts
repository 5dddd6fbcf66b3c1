import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/**
 * Every figure this process tells about itself. No account, host or URL is ever a label; a proxy has the
 * one its operator gave it.
 */
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
    ...createReaders(registry),
    proxyAttempts: counter('proxy_attempts_total', 'Attempts made through proxies.', [
      'proxy',
      'outcome',
    ]),
    notTaken: counter('admission_rejected_total', 'New work that was not taken.', ['code']),
    text: () => registry.metrics(),
    tasksEnded: counter('scrape_tasks_total', 'Tasks that have ended.', ['engine', 'outcome']),
    taskSeconds: seconds('scrape_task_duration', 'Time from being started to the end.', ['engine']),
    browserRestarts: counter('browser_restarts_total', 'Browsers that were replaced.', ['reason']),
    leaseReclaims: counter('lease_reclaims_total', 'Leases of processes that died.'),
    fencedWrites: counter('fenced_writes_total', 'Writes refused because the lease was lost.'),
    deliveryAttempts: counter('delivery_attempts_total', 'Tries to deliver.', ['result']),
    deliverySeconds: seconds('delivery_duration', 'Time one try to deliver took.'),
    deadLetters: counter('delivery_dead_letter_total', 'Deliveries given up.'),
    egressBlocked: counter('egress_blocked_total', 'Connections the egress guard refused.', [
      'purpose',
      'reason',
    ]),
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

/** Figures that are looked up whenever somebody asks. */
function createReaders(registry: Registry) {
  /** Several at once, told apart by labels. */
  const readSeries = <Label extends string>(
    labelNames: Label[],
    name: string,
    help: string,
    read: () => (readonly [labels: Partial<Record<Label, string>>, figure: number])[],
  ): void => {
    new Gauge({
      name: `trawl_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset()
        for (const [labels, figure] of read()) this.set(labels, figure)
      },
    })
  }
  return {
    readSeries,
    /** The same by one label. */
    readBy: (
      label: string,
      name: string,
      help: string,
      read: () => (readonly [value: string, figure: number])[],
    ) =>
      readSeries([label], name, help, () =>
        read().map(([value, figure]) => [{ [label]: value }, figure]),
      ),
    /** A single one. */
    read: (name: string, help: string, read: () => number) =>
      readSeries([], name, help, () => [[{}, read()]]),
  }
}

export type Metrics = ReturnType<typeof createMetrics>

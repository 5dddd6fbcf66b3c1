import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { defaultScrapeOptions } from '../../domain/scrape/scrape-options.ts'
import { dial } from '../../outbound/dial.ts'
import type { GuardedConnect } from '../../outbound/guarded-connect.ts'
import type { RunningBrowser } from './launch/running-browser.ts'
import { openPageEgress } from './page/page-egress.ts'
import { visit } from './page/visit.ts'
import { VisitDeadline } from './page/visit-deadline.ts'

interface ProbeOptions {
  signal: AbortSignal
  /** Called with each port that is opened; disposed when the port is closed. */
  onListening?: ((port: number) => Disposable) | undefined
}

const order = {
  url: 'http://health-check.invalid/',
  options: { ...defaultScrapeOptions, js_render: true },
  timeoutMs: 30_000,
  forwardedHeaders: {},
}
const html = '<!doctype html><body><script>document.body.innerHTML = 6 * 7</script>'

/**
 * Health check: visits a page of our own as a task does its target, through an egress proxy, and
 * checks that the page's script has run. A browser that shows only what it has itself is not healthy.
 */
export async function probeBrowser(
  browser: RunningBrowser,
  { signal, onListening }: ProbeOptions,
): Promise<void> {
  await using target = await serveTestPage(onListening)
  const egress = await openPageEgress({ connect: target.connect, onListening }, undefined)
  const opening = browser.openContext({ proxyPort: egress.port })
  using deadline = new VisitDeadline({ ...order, signal })
  try {
    const context = await deadline.during(opening)
    const parts = { context, egress, deadline, user: undefined }
    const { page } = await visit(parts, { ...order, signal })
    if (!Buffer.from(page.body).includes('<body>42</body>')) {
      throw new Error('The browser did not run the script of the test page.')
    }
  } finally {
    // Not awaited: a browser that hangs would never finish it.
    void opening
      .then((context) => context.dispose())
      .catch(() => undefined)
      .then(() => egress[Symbol.asyncDispose]())
  }
}

/** The only target of the health check: what the egress proxy connects to, whatever the host. */
async function serveTestPage(
  onListening: ProbeOptions['onListening'],
): Promise<AsyncDisposable & { connect: GuardedConnect }> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const listening = onListening?.(port)
  return {
    connect: async ({ limits, signal }) => ({
      socket: await dial(['127.0.0.1'], port, { signal, deadlineMs: limits.connectMs }),
      timings: { dnsMs: 0, connectMs: 0, tlsMs: 0 },
    }),
    async [Symbol.asyncDispose]() {
      const closing = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closing
      listening?.[Symbol.dispose]()
    },
  }
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEgressGuard } from '../../src/outbound/guard/egress-guard.ts'
import { createGuardedConnect } from '../../src/outbound/guarded-connect.ts'
import { createResolver } from '../../src/outbound/resolver.ts'
import { allowing } from '../outbound/outbound-client.ts'
import { startBrowserScene } from '../support/browser-scene.ts'

test('a page cannot reach the proxy that its browser connects to, nor that of another page', async (t) => {
  const ports = new Set<number>()
  const ownListeners = {
    isOwn: (_address: string, port: number) => ports.has(port),
    refreshFor: () => undefined,
  }
  const blocked: string[] = []
  const guard = createEgressGuard(
    { ...allowing('127.0.0.0/8'), ownListeners },
    (_purpose, reason) => blocked.push(reason),
  )
  const { site, html } = await startBrowserScene(t, {
    connect: createGuardedConnect({ guard, resolver: createResolver({ servers: [] }) }),
    parts: {
      onListening(port) {
        ports.add(port)
        return { [Symbol.dispose]: () => void ports.delete(port) }
      },
    },
  })
  const released = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  site.page('/held', async (_request, response) => {
    held.resolve()
    await released.promise
    response.end('<p>held</p>')
  })
  site.page('/ports', (_request, response) => response.end(JSON.stringify([...ports])))
  site.page(
    '/',
    `<p id="done"></p><script type="module">
      const ports = await (await fetch('/ports')).json()
      const asked = ports.map((port) => fetch('http://127.0.0.1:' + port + '/', { mode: 'no-cors' }))
      const settled = await Promise.allSettled(asked)
      done.textContent = settled.map(({ status }) => status).join(' ')
    </script>`,
  )

  const other = html('/held')
  await held.promise
  const page = await html('/', {
    js_render: true,
    optimizations: { loadOnlySameOriginRequests: false },
    waitForSelector: '#done:not(:empty)',
  })
  released.resolve()

  assert.match(page, /id="done">rejected rejected</)
  assert.deepEqual(blocked, ['own_listener', 'own_listener'])
  assert.match(await other, /held/)
})

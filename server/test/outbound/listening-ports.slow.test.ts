import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type ListeningPorts,
  startListeningPorts,
} from '../../src/outbound/guard/listening-ports.ts'
import {
  listListeningPorts,
  putListeningPort,
  removeListeningPorts,
} from '../../src/storage/tables/listening-ports.ts'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { startTestDns } from '../support/test-dns.ts'
import { createTestStore, silentLog, tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import { allowing, openClient, problemOf } from './outbound-client.ts'
import { startRawOrigin } from './raw-origin.ts'

/** As a process of its own would, on a machine with these addresses. */
async function startProcess(
  t: TestContext,
  { open }: Awaited<ReturnType<typeof createTestStore>>,
  ...addresses: string[]
) {
  const db = await open()
  const ports = await startListeningPorts({
    db,
    log: silentLog,
    keyIds: [],
    listOwnAddresses: () => addresses,
  })
  t.after(() => ports[Symbol.asyncDispose]())
  return { db, ports }
}

const untilKnown = (ports: ListeningPorts, address: string, port: number) =>
  until(() => ports.isOwn(address, port))

for (const kind of tierStoreKinds) {
  test(`${kind}: a process knows its own listening port at once, and others learn it`, async (t) => {
    const store = await createTestStore(t, kind)
    const { ports: api } = await startProcess(t, store, '127.0.0.1', '10.0.0.1')
    const { ports: worker } = await startProcess(t, store, '127.0.0.1', '10.0.0.2')

    const announced = api.announce({ address: '127.0.0.1', port: 8080 })
    assert.ok(api.isOwn('127.0.0.1', 8080), 'before it is in the store')
    await announced
    const { ports: later } = await startProcess(t, store, '127.0.0.1')
    assert.ok(later.isOwn('127.0.0.1', 8080), 'from the start')

    await untilKnown(worker, '127.0.0.1', 8080)
    assert.ok(worker.isOwn('10.0.0.2', 8080), 'at every address of the machine')
    assert.ok(!worker.isOwn('10.0.0.1', 8080), 'it is bound to loopback there')
  })

  test(`${kind}: a port that listens on every address is known at each address`, async (t) => {
    const store = await createTestStore(t, kind)
    const { ports: api } = await startProcess(t, store, '127.0.0.1', '10.0.0.1', 'fd00::1')
    const { ports: worker } = await startProcess(t, store, '127.0.0.1', '10.0.0.2')

    await api.announce({ address: '::', port: 8080 })

    await untilKnown(worker, '10.0.0.1', 8080)
    assert.ok(worker.isOwn('fd00::1', 8080))
    assert.ok(worker.isOwn('::ffff:10.0.0.1', 8080))
    assert.ok(!worker.isOwn('10.0.0.1', 8081))
    assert.ok(!worker.isOwn('10.0.0.3', 8080))
  })

  test(`${kind}: a listening port is forgotten when its process stops`, async (t) => {
    const store = await createTestStore(t, kind)
    const { db, ports: api } = await startProcess(t, store)
    await api.announce({ address: '127.0.0.1', port: 8080 })
    const { ports: worker } = await startProcess(t, store)
    assert.ok(worker.isOwn('127.0.0.1', 8080))

    await api[Symbol.asyncDispose]()

    await until(() => !worker.isOwn('127.0.0.1', 8080))
    assert.deepEqual(await db.run(listListeningPorts()), [])
  })

  test(`${kind}: a port stays known when its row seems expired because a clock was set`, async (t) => {
    const store = await createTestStore(t, kind)
    const db = await store.open()
    const row = { processId: 'live', address: '127.0.0.1', port: 8081, untilMs: 1 }
    await db.run(putListeningPort({ ...row, keyIds: [] }))

    const { ports } = await startProcess(t, store)

    assert.ok(ports.isOwn('127.0.0.1', 8081))
    assert.deepEqual(await db.run(listListeningPorts()), [row])
  })

  test(`${kind}: a process records its port again after the row was removed`, async (t) => {
    const store = await createTestStore(t, kind)
    const { db, ports: api } = await startProcess(t, store)
    await api.announce({ address: '127.0.0.1', port: 8080 })
    const [row] = await db.run(listListeningPorts())
    assert.ok(row)

    await db.run(removeListeningPorts(row.processId))

    const { ports: worker } = await startProcess(t, store)
    await untilKnown(worker, '127.0.0.1', 8080)
  })

  test(`${kind}: the row of a dead process is removed, that of a live one is kept`, async (t) => {
    const store = await createTestStore(t, kind)
    const db = await store.open()
    const dead = { processId: 'dead', address: '127.0.0.1', port: 8081 }
    await db.run(putListeningPort({ ...dead, keyIds: [], untilMs: db.nowMs() + 86_400_000 }))
    const fast = { db, log: silentLog, keyIds: [], listOwnAddresses: () => [], pollIntervalMs: 1 }
    const api = await startListeningPorts(fast)
    t.after(() => api[Symbol.asyncDispose]())
    await api.announce({ address: '127.0.0.1', port: 8080 })
    const worker = await startListeningPorts(fast)
    t.after(() => worker[Symbol.asyncDispose]())
    assert.ok(worker.isOwn('127.0.0.1', 8081))

    await until(() => !worker.isOwn('127.0.0.1', 8081))

    assert.ok(worker.isOwn('127.0.0.1', 8080))
  })
}

for (const kind of tierStoreKinds) {
  test(`${kind}: nothing is sent to a port that was recorded since the last poll`, async (t) => {
    const store = await createTestStore(t, kind)
    const { ports: api } = await startProcess(t, store)
    const { ports: worker } = await startProcess(t, store)
    const requests: string[] = []
    const origin = await startRawOrigin(t, (socket, _nth, request) => {
      requests.push(request)
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
    // Its own list stays as it was at the start: only the look after connecting can tell.
    const ownListeners = {
      isOwn: (address: string, port: number) => isRefreshed && worker.isOwn(address, port),
      async refreshFor(address: string) {
        await worker.refreshFor(address)
        isRefreshed = true
      },
    }
    let isRefreshed = false
    const client = openClient(t, { ...allowing('127.0.0.0/8'), ownListeners })

    await api.announce({ address: '127.0.0.1', port: origin.port })
    const error = await problemOf(client.send(origin.url))

    assert.equal(error.problem, 'not_allowed')
    assert.equal(origin.connections, 1)
    assert.deepEqual(requests, [])
  })
}

for (const protocol of ['http', 'socks5'] as const) {
  for (const host of ['127.0.0.1', 'localhost', 'name.example.com']) {
    test(`a ${protocol} proxy is not asked for a port of ${host} that was recorded since the last poll`, async (t) => {
      const proxy = await startCountingProxy(t, { protocol })
      const dns = await startTestDns(t, { 'name.example.com': { addresses: ['127.0.0.1'] } })
      // Nothing is known of the port until the records are read again.
      let isRefreshed = false
      const ownListeners = {
        isOwn: (_address: string, port: number) => isRefreshed && port === 8080,
        async refreshFor() {
          await nextTurn()
          isRefreshed = true
        },
      }
      const client = openClient(t, { ...allowing('127.0.0.0/8'), ownListeners }, { dns })

      const error = await problemOf(client.send(`http://${host}:8080/`, { proxy: proxy.route }))

      assert.equal(error.problem, 'not_allowed')
      assert.deepEqual(proxy.asked, [])
    })
  }
}

test('a port that only this process knows stays known until it is closed', async (t) => {
  const { ports } = await startProcess(t, await createTestStore(t, 'sqlite'), '10.0.0.1')

  const listening = ports.add(40_000)
  assert.ok(ports.isOwn('127.0.0.1', 40_000))
  assert.ok(ports.isOwn('10.0.0.1', 40_000))

  listening[Symbol.dispose]()
  assert.ok(!ports.isOwn('127.0.0.1', 40_000))
})

test('listening ports stay known while the store is unavailable', async (t) => {
  const store = await createTestStore(t, 'sqlite')
  const { ports: api } = await startProcess(t, store)
  await api.announce({ address: '127.0.0.1', port: 8080 })
  const db = await store.open()
  let polls = 0
  const listOwnAddresses = () => {
    polls += 1
    return []
  }
  const worker = await startListeningPorts({ db, log: silentLog, keyIds: [], listOwnAddresses })
  t.after(() => worker[Symbol.asyncDispose]())

  await db[Symbol.asyncDispose]()
  polls = 0
  await until(() => polls >= 2)

  await assert.rejects(db.run(listListeningPorts()))
  assert.ok(worker.isOwn('127.0.0.1', 8080))
})

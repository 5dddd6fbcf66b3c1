import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { CdpClosed, CdpConnection, CdpError } from './cdp-connection.ts'

/** A connection to a fake browser: it sends only the messages that the test passes to `receive`. */
function openConnection(options?: { responseMsMax?: number }) {
  const read = new PassThrough()
  const connection = new CdpConnection({ write: new PassThrough(), read }, options)
  const receive = (message: object) => read.write(`${JSON.stringify(message)}\0`)
  return { connection, receive }
}

test('a command to the browser times out, a command to a page does not', async (t) => {
  const { connection, receive } = openConnection({ responseMsMax: 10 })
  t.after(() => connection.end('The test is over.'))
  const ofBrowser = connection.session().send('Browser.getVersion')
  const ofPage = connection.session('page').send('Page.enable')

  await assert.rejects(ofBrowser, CdpError)
  receive({ id: 2, sessionId: 'page', result: {} })

  assert.deepEqual(await ofPage, {})
})

test('a rejected command fails with CdpError, one without a connection with CdpClosed', async () => {
  const { connection, receive } = openConnection()
  const refused = connection.session().send('Browser.getVersion')
  const lost = connection.session('page').send('Page.enable')

  receive({ id: 1, error: { message: 'no' } })
  await assert.rejects(refused, new CdpError('Browser.getVersion: no'))

  connection.end('The browser has exited.')
  await assert.rejects(lost, CdpClosed)
})

const event = { method: 'Page.frameStoppedLoading', params: { frameId: 'f' }, sessionId: 'loud' }

test('a page that sends too many events loses its session, and other pages keep theirs', async () => {
  const { connection, receive } = openConnection()
  const [loud, quiet] = [connection.session('loud'), connection.session('quiet')]
  const neighbourReceived = new Promise<void>((resolve) =>
    quiet.on('Page.frameStoppedLoading', () => resolve()),
  )
  const asked = loud.send('Page.enable')

  for (let count = 0; count <= 20_000; count += 1) receive(event)
  receive({ ...event, sessionId: 'quiet' })

  await assert.rejects(asked, CdpClosed)
  assert.equal(await loud.whenEnded, 'flooded')
  await neighbourReceived
})

test('the sessions of a page and its workers share one limit on events', async () => {
  const { connection, receive } = openConnection()
  const totals = { events: 0, characters: 0 }
  const [page, worker] = [connection.session('page', totals), connection.session('worker', totals)]

  for (let count = 0; count < 10_000; count += 1) {
    for (const sessionId of ['page', 'worker']) receive({ ...event, sessionId })
  }
  receive({ ...event, sessionId: 'worker' })
  receive({ ...event, sessionId: 'page' })

  assert.deepEqual(await Promise.all([worker.whenEnded, page.whenEnded]), ['flooded', 'flooded'])
})

test('events of 8 MiB and more are not read, but count until their page ends', async () => {
  const { connection, receive } = openConnection()
  const page = connection.session('page')
  let heard = 0
  page.on('Page.frameStoppedLoading', () => {
    heard += 1
  })
  const large = { ...event, params: { frameId: 'f'.repeat(8 * 2 ** 20) }, sessionId: 'page' }

  for (let count = 0; count < 8; count += 1) receive(large)

  assert.equal(await page.whenEnded, 'flooded')
  assert.equal(heard, 0)
})

test('the limit on events does not apply to the session of the browser', async () => {
  const { connection, receive } = openConnection()
  let received = 0
  connection.session().on('Page.frameStoppedLoading', () => {
    received += 1
  })
  const isOver = new Promise<void>((resolve) =>
    connection.session('last').on('Page.frameStoppedLoading', () => resolve()),
  )

  for (let count = 0; count <= 20_000; count += 1) receive({ ...event, sessionId: undefined })
  receive({ ...event, sessionId: 'last' })

  await isOver
  assert.equal(received, 20_001)
})

test('a session ends when its target is detached', async () => {
  const { connection, receive } = openConnection()
  const session = connection.session('page')

  receive({ method: 'Target.detachedFromTarget', params: { sessionId: 'page' } })

  assert.equal(await session.whenEnded, 'closed')
})

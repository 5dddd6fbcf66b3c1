import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { CdpConnection, CdpError, CdpGone } from './cdp-connection.ts'

/** A connection to a browser that answers what the test writes, and nothing else. */
function openConnection(options?: { answerMsMax?: number }) {
  const read = new PassThrough()
  const connection = new CdpConnection({ write: new PassThrough(), read }, options)
  const answer = (message: object) => read.write(`${JSON.stringify(message)}\0`)
  return { connection, answer }
}

test('a browser that does not answer is given up, a page is not', async (t) => {
  const { connection, answer } = openConnection({ answerMsMax: 10 })
  t.after(() => connection.end('The test is over.'))
  const ofBrowser = connection.session().send('Browser.getVersion')
  const ofPage = connection.session('page').send('Page.enable')

  await assert.rejects(ofBrowser, CdpError)
  answer({ id: 2, sessionId: 'page', result: {} })

  assert.deepEqual(await ofPage, {})
})

test('what the browser refuses is told from a browser that is gone', async () => {
  const { connection, answer } = openConnection()
  const refused = connection.session().send('Browser.getVersion')
  const lost = connection.session('page').send('Page.enable')

  answer({ id: 1, error: { message: 'no' } })
  await assert.rejects(refused, new CdpError('Browser.getVersion: no'))

  connection.end('It is gone.')
  await assert.rejects(lost, CdpGone)
})

const event = { method: 'Page.frameStoppedLoading', params: { frameId: 'f' }, sessionId: 'loud' }

test('a page that tells too much is listened to no more, and its neighbour is', async () => {
  const { connection, answer } = openConnection()
  const [loud, quiet] = [connection.session('loud'), connection.session('quiet')]
  const isNeighbourHeard = new Promise<void>((resolve) =>
    quiet.on('Page.frameStoppedLoading', () => resolve()),
  )
  const asked = loud.send('Page.enable')

  for (let count = 0; count <= 20_000; count += 1) answer(event)
  answer({ ...event, sessionId: 'quiet' })

  await assert.rejects(asked, CdpGone)
  assert.equal(await loud.whenEnded, 'flooded')
  await isNeighbourHeard
})

test('sessions of one page together tell no more than one may', async () => {
  const { connection, answer } = openConnection()
  const heard = { events: 0, characters: 0 }
  const [page, worker] = [connection.session('page', heard), connection.session('worker', heard)]

  for (let count = 0; count < 10_000; count += 1) {
    for (const sessionId of ['page', 'worker']) answer({ ...event, sessionId })
  }
  answer({ ...event, sessionId: 'worker' })
  answer({ ...event, sessionId: 'page' })

  assert.deepEqual(await Promise.all([worker.whenEnded, page.whenEnded]), ['flooded', 'flooded'])
})

test('the browser itself may tell as much as it has to', async () => {
  const { connection, answer } = openConnection()
  let heard = 0
  connection.session().on('Page.frameStoppedLoading', () => {
    heard += 1
  })
  const isOver = new Promise<void>((resolve) =>
    connection.session('last').on('Page.frameStoppedLoading', () => resolve()),
  )

  for (let count = 0; count <= 20_000; count += 1) answer({ ...event, sessionId: undefined })
  answer({ ...event, sessionId: 'last' })

  await isOver
  assert.equal(heard, 20_001)
})

test('a target that is gone ends its session', async () => {
  const { connection, answer } = openConnection()
  const session = connection.session('page')

  answer({ method: 'Target.detachedFromTarget', params: { sessionId: 'page' } })

  assert.equal(await session.whenEnded, 'closed')
})

/** Puts a canary into every field of a batch that may hold a secret, then searches the store and the log. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { batchPath, getBatch, submitBatch, untilBatch } from '../support/batch-calls.ts'
import { once } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { assertNone, base64FormsWithin, dumpStore, formsOf } from '../support/store-dump.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

/** Values that a caller sends and nobody is shown again. */
const sent = {
  urlPassword: 'canary-url-password!',
  cookie: 'canary-cookie-sent',
  authorization: 'canary-authorization',
  body: 'canary-target-body',
}

/** Values that the owner may read again, but that must not be stored or logged. */
const echoed = {
  urlQuery: 'canary-url-query',
  callbackQuery: 'canary-callback-query',
  header: 'canary-header-sent',
  invalidUrl: 'canary-invalid-url',
  answerHeader: 'canary-header-of-target',
}

const allForms = (secrets: Iterable<string>): string[] =>
  [...secrets].flatMap((secret) => [...formsOf(secret), ...base64FormsWithin(secret)])

onBothStores((kind, start) => {
  test(`${kind}: secrets of a batch are in no dump and in no log`, async (t) => {
    const logged: string[] = []
    const site = await startPageSite(t)
    site.page('/form', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'x-token': echoed.answerHeader })
      response.end('<p>form</p>')
    })
    site.page('/reset', (request) => request.socket.resetAndDestroy())
    const receiver = await startTestReceiver(t)
    // The worst receiver: it echoes what it was sent and fails, so that it gets it again.
    receiver.behave(({ body }, response) => void response.writeHead(500).end(body))
    const service = await start(t, {
      log: pino({ level: 'trace' }, { write: (line) => void logged.push(line) }),
      environment: { ...reachingLoopback, TRAWL_DELIVERY_SCHEDULE: '0s,50ms' },
    })
    const account = await service.createAccount()
    const webhook = { url: `${receiver.url}/hook`, event_type: 'batch_completed' }
    await account.call('POST /v1/webhooks', webhook)
    const urlTo = (path: string) => {
      const url = new URL(site.url(`${path}?token=${echoed.urlQuery}`))
      url.username = 'someone'
      url.password = sent.urlPassword
      return url.href
    }

    const { job_id } = await submitBatch(account, {
      urls: [urlTo('/form'), urlTo('/reset'), `nonsense ${echoed.invalidUrl}`],
      callback_url: `${receiver.url}/callback?token=${echoed.callbackQuery}`,
      headers: { 'x-a': echoed.header, authorization: `Bearer ${sent.authorization}` },
      method: 'POST',
      body: sent.body,
      ...once,
      configurations: {
        ...once.configurations,
        cookies: [{ name: 'token', value: sent.cookie, domain: '127.0.0.1' }],
      },
    })
    await untilBatch(account, job_id, ({ delivery }) => delivery?.status === 'failed')
    await account.call(`POST ${batchPath}/${job_id}/retry-failed`)
    const job = await untilBatch(
      account,
      job_id,
      ({ delivery, completed_at }) => completed_at !== null && delivery?.attempts === 2,
    )

    const [heard] = site.askedFor(`/form?token=${echoed.urlQuery}`)
    assert.equal(heard?.headers['x-a'], echoed.header)
    assert.match(heard?.headers.cookie ?? '', new RegExp(sent.cookie))
    assert.deepEqual(job.invalid_urls, [`nonsense ${echoed.invalidUrl}`])
    const hidden = allForms(Object.values(sent))
    const atRest = [...hidden, ...allForms(Object.values(echoed))]
    const store = await service.openBeside()
    assertNone('The store', await dumpStore(store.db, service.dataDir), atRest)
    assert.ok(logged.length > 0)
    assertNone('The log', logged.join('\n'), atRest)
    const list = await account.call(`GET ${batchPath}/jobs`)
    const shown = JSON.stringify(await getBatch(account, job_id)) + list.text
    assertNone('The batch or a list', shown, hidden)
    assertNone('An event', receiver.received.map(({ body }) => body).join('\n'), hidden)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enableAccount } from '../../src/accounts/accounts.ts'
import { sql } from '../../src/storage/statement.ts'
import { sweepResults } from '../../src/tasks/upkeep/retention.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure, withoutCorrelationId } from '../support/error-bodies.ts'
import {
  callbackPath,
  reachingLoopback,
  unknownIds,
  untilDelivery,
} from '../support/scrape-calls.ts'
import { imageOf, screenshotOptions, startStubWorker } from '../support/stub-worker.ts'
import { ageTask } from '../support/task-age.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

const environment = { ...reachingLoopback, TRAWL_ROLES: 'api,delivery' }

/** Fetches a binary body. */
async function fetchBytes(url: string, init: RequestInit = {}) {
  const answer = await fetch(url, init)
  return {
    statusCode: answer.status,
    headers: Object.fromEntries(answer.headers),
    bytes: Buffer.from(await answer.arrayBuffer()),
  }
}

onBothStores((kind, start) => {
  test(`${kind}: the screenshot of a task`, async (t) => {
    const service = await start(t, { environment })
    const { url } = service
    const desk = await startStubWorker(t, service)
    const account = await service.createAccount()
    const pathOf = (id: string) => `${callbackPath}/${id}/screenshot`
    const ask = (id: string) => account.call(`GET ${pathOf(id)}`)
    const own = { 'x-api-key': account.apiKey }

    for (const type of ['png', 'jpeg', 'webp'] as const) {
      await t.test(`the screenshot is the image itself with safe headers: ${type}`, async () => {
        const screenshot = imageOf(type)
        const configurations = screenshotOptions(screenshot, 'base64')
        const id = await desk.finishTask(account, { configurations, page: { screenshot } })

        const answer = await fetchBytes(url + pathOf(id), { headers: own })
        const head = await fetchBytes(url + pathOf(id), { headers: own, method: 'HEAD' })

        assert.equal(answer.statusCode, 200)
        assert.ok(answer.bytes.equals(screenshot.bytes))
        for (const { headers } of [answer, head]) {
          assert.equal(headers['content-type'], `image/${type}`)
          assert.equal(headers['content-length'], String(screenshot.bytes.byteLength))
          assert.equal(headers['content-disposition'], 'inline')
          assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'")
          assert.equal(headers['x-content-type-options'], 'nosniff')
          assert.equal(headers['cache-control'], 'private')
        }
        assert.equal(head.bytes.length, 0)
      })
    }

    await t.test('a large screenshot is returned whole, of a realtime task too', async () => {
      const screenshot = imageOf('png', 12 * 2 ** 20)
      const configurations = screenshotOptions(screenshot, 'binary')
      const given = { kind: 'realtime' as const, configurations, page: { screenshot } }
      const id = await desk.finishTask(account, given)

      const { bytes } = await fetchBytes(url + pathOf(id), { headers: own })

      assert.ok(bytes.equals(screenshot.bytes))
    })

    await t.test('the screenshot of a task that is not over gets 409', async () => {
      const configurations = screenshotOptions({ type: 'png' }, 'binary')

      assertFailure(await ask(await desk.createOpenTask(account, { configurations })), 'CONFLICT')
    })

    await t.test('the screenshot of a task without one gets 404, whatever its status', async () => {
      const configurations = screenshotOptions({ type: 'png' }, 'binary')
      const cancelled = await desk.createOpenTask(account, { configurations })
      await account.call(`DELETE ${callbackPath}/${cancelled}`)
      const error = { code: 'SCREENSHOT_FAILED' as const, message: 'It is too tall.' }

      const without = [
        await desk.createOpenTask(account),
        await desk.finishTask(account),
        await desk.finishTask(account, { kind: 'realtime' }),
        await desk.finishTask(account, { configurations, error }),
        await desk.finishTask(account, { configurations }),
        cancelled,
      ]

      for (const id of without) assertFailure(await ask(id), 'NOT_FOUND')
    })

    await t.test('the screenshot of an unknown task id gets 404', async () => {
      for (const id of unknownIds) assertFailure(await ask(id), 'NOT_FOUND')
    })

    await t.test('getting a screenshot without credentials gets 401', async () => {
      const answer = await callApi(url, `GET ${pathOf(unknownIds[0] ?? '')}`)

      assertFailure(answer, 'UNAUTHORIZED')
      assert.match(answer.headers['www-authenticate'] ?? '', /^Basic /)
    })
  })

  test(`${kind}: the signed link to a screenshot`, async (t) => {
    const service = await start(t, { environment })
    const { url } = service
    const desk = await startStubWorker(t, service)
    const account = await service.createAccount()
    const stranger = await service.createAccount()
    const screenshot = imageOf('webp')
    const configurations = { ...screenshotOptions(screenshot, 'binary'), response_format: 'json' }

    async function newLink(owner = account) {
      const id = await desk.finishTask(owner, { configurations, page: { screenshot } })
      const { text } = await owner.call(`GET ${callbackPath}/${id}/result`)
      const link: string = JSON.parse(text).screenshot.url
      return { id, link, path: link.slice(url.length) }
    }
    const { id, link, path } = await newLink()
    const withoutSignature = path.split('?')[0] ?? ''

    await t.test('a signed screenshot link needs no credentials', async () => {
      const answer = await fetchBytes(link)

      assert.equal(answer.statusCode, 200)
      assert.equal(answer.headers['content-type'], 'image/webp')
      assert.ok(answer.bytes.equals(screenshot.bytes))
      assert.ok(link.startsWith(`${url}${callbackPath}/${id}/screenshot?signature=`))
    })

    await t.test('a signed screenshot link ignores credentials', async () => {
      for (const key of [stranger.apiKey, 'of nobody']) {
        const { statusCode, bytes } = await fetchBytes(link, { headers: { 'x-api-key': key } })
        assert.equal(statusCode, 200)
        assert.ok(bytes.equals(screenshot.bytes))
      }
    })

    await t.test('a screenshot link with a wrong signature is treated as unsigned', async () => {
      const other = await newLink()
      const signature = new URL(link).searchParams.get('signature') ?? ''
      const wrongOnes = [
        '',
        '?signature=',
        '?signature=%00',
        `?signature=${new URL(other.link).searchParams.get('signature')}`,
        `?signature=${signature.slice(0, -1)}`,
        `?signature=${signature}A`,
        `?signature=${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
        `?signature=${signature}&signature=${signature}`,
        `?sign=${signature}`,
      ]
      const missing = await callApi(url, `GET ${withoutSignature}`)

      for (const wrong of wrongOnes) {
        const nobody = await callApi(url, `GET ${withoutSignature}${wrong}`)
        assertFailure(nobody, 'UNAUTHORIZED')
        assert.deepEqual(withoutCorrelationId(nobody), withoutCorrelationId(missing))
        if (wrong.split('signature').length > 2) continue
        const headers = { 'x-api-key': account.apiKey }
        const owner = await fetchBytes(`${url}${withoutSignature}${wrong}`, { headers })
        assert.equal(owner.statusCode, 200)
        assertFailure(await stranger.call(`GET ${withoutSignature}${wrong}`), 'NOT_FOUND')
      }
    })

    await t.test('a signed screenshot link opens no other image or route', async () => {
      const signature = path.split('?')[1] ?? ''

      for (const elsewhere of ['', '/result']) {
        const request = `GET ${callbackPath}/${id}${elsewhere}?${signature}`
        assertFailure(await callApi(url, request), 'UNAUTHORIZED')
      }
      const method = await callApi(url, `POST ${path}`)
      assertFailure(method, 'METHOD_NOT_ALLOWED')
    })

    await t.test('a signed screenshot link of a disabled account does not work', async () => {
      const owner = await service.createAccount()
      const { path: ofOwner } = await newLink(owner)
      const store = await service.openBeside()

      await enableAccount(store.db, owner.username, false)
      assertFailure(await callApi(url, `GET ${ofOwner}`), 'UNAUTHORIZED')
      await enableAccount(store.db, owner.username, true)

      assert.equal((await fetchBytes(url + ofOwner)).statusCode, 200)
    })
  })

  test(`${kind}: an expired screenshot`, async (t) => {
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment })
    const { url } = service
    const desk = await startStubWorker(t, service)
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    const screenshot = imageOf('png')
    const given = { configurations: screenshotOptions(screenshot, 'binary'), page: { screenshot } }
    const callbackUrl = `${receiver.url}/callback`
    const kinds = async (id: string) =>
      (await db.run(sql<{ kind: string }>`select kind from blobs where owner_id = ${id}`))
        .map((blob) => blob.kind)
        .sort()
    const ask = (id: string) => account.call(`GET ${callbackPath}/${id}/screenshot`)

    await t.test('410 EXPIRED, by its link too, as soon as the result is', async () => {
      const id = await desk.finishTask(account, { ...given, callbackUrl })
      const [posted] = await receiver.arrivals(1, '/callback')
      await untilDelivery(account, id, 'delivered')
      const link = posted?.json.result.screenshot.url as string
      await ageTask(db, id, 71.9)
      assert.equal((await fetchBytes(link)).statusCode, 200)

      await ageTask(db, id, 0.2)

      assertFailure(await ask(id), 'EXPIRED')
      assertFailure(
        await callApi(link.slice(0, url.length), `GET ${link.slice(url.length)}`),
        'EXPIRED',
      )
    })

    await t.test('it is swept with its page, and held with it', async () => {
      const swept = await desk.finishTask(account, { ...given, kind: 'realtime' })
      const held = await desk.finishTask(account, given)
      assert.deepEqual(await kinds(swept), ['page', 'screenshot'])
      for (const id of [swept, held]) await ageTask(db, id, 1000)

      await sweepResults(db, db.nowMs() - 72 * 3_600_000)

      assert.deepEqual(await kinds(swept), [])
      assertFailure(await ask(swept), 'EXPIRED')
      assert.deepEqual(await kinds(held), ['page', 'screenshot'])
      assert.equal((await ask(held)).statusCode, 200)
    })
  })
})

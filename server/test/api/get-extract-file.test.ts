import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { extract, extractPath, getJob } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { ageTask } from '../support/task-age.ts'
import { onBothStores } from '../support/test-service.ts'

const bytes = Buffer.from('\x89PNG\r\n\x1a\n\0\x01\xff\xfe', 'latin1')

onBothStores((kind, start) => {
  test(`${kind}: a target that sends a file`, async (t) => {
    const site = await startPageSite(t)
    site.page('/image', (_, response) =>
      response
        .writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' })
        .end(gzipSync(bytes)),
    )
    site.page('/disguised', (_, response) =>
      response.writeHead(200, { 'content-type': 'image/png, text/html' }).end('<h1>Sign in</h1>'),
    )
    site.page('/archive', (_, response) =>
      response.writeHead(200, { 'content-type': 'application/zip' }).end('PK\x03\x04\0'),
    )
    site.page('/page', '<p>a page</p>')
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const stranger = await service.createAccount()
    const image = await extract(account, { url: site.url('/image'), formats: ['html', 'text'] })
    const id = image.headers['x-job-id']

    await t.test('`data.file` is a link to the bytes, which needs no credentials', async () => {
      const { data, metadata } = image.json()
      const { url, ...file } = data.file

      assert.deepEqual(file, { bytes: bytes.length, content_type: 'image/png' })
      assert.deepEqual([data.html, data.markdown, data.text], [null, null, null])
      assert.equal(metadata.content_type, 'image/png')
      const opened = await fetch(url)
      assert.deepEqual(Buffer.from(await opened.arrayBuffer()), bytes)
      assert.equal(opened.headers.get('content-type'), 'image/png')
      assert.equal(opened.headers.get('content-disposition'), 'inline')
      assert.match(opened.headers.get('content-security-policy') ?? '', /sandbox/)
    })

    await t.test('a page that claims to be an image is not shown', async () => {
      const { data } = (await extract(account, { url: site.url('/disguised') })).json()
      const opened = await fetch(data.file.url)

      assert.equal(opened.headers.get('content-disposition'), 'attachment')
      assert.equal(opened.headers.get('content-type'), 'application/octet-stream')
    })

    await t.test('a file that is no image is sent as an attachment', async () => {
      const { data } = (await extract(account, { url: site.url('/archive') })).json()
      const opened = await fetch(data.file.url)

      assert.equal(opened.headers.get('content-disposition'), 'attachment')
      assert.equal(opened.headers.get('content-type'), 'application/zip')
    })

    await t.test('a script that looks like a file cannot be loaded as a script', async () => {
      for (const type of ['text/javascript', 'application/x-ecmascript', 'text/css']) {
        site.page('/script', (_, response) =>
          response.writeHead(200, { 'content-type': type }).end('alert(1) /*\0*/'),
        )
        const { data } = (await extract(account, { url: site.url('/script') })).json()
        const opened = await fetch(data.file.url)

        assert.equal(opened.headers.get('content-type'), 'application/octet-stream')
        assert.equal(opened.headers.get('x-content-type-options'), 'nosniff')
      }
    })

    await t.test('a file opens with a valid signature or the credentials only', async () => {
      const path = `GET ${extractPath}/${id}/file`

      assert.equal((await account.call(path)).statusCode, 200)
      assertFailure(await stranger.call(path), 'NOT_FOUND')
      assertFailure(await callApi(service.url, path), 'UNAUTHORIZED')
      assertFailure(await callApi(service.url, `${path}?signature=x`), 'UNAUTHORIZED')
    })

    await t.test('a signature opens the file of its own job only', async () => {
      const signature = new URL(image.json().data.file.url).searchParams.get('signature')
      const other = await extract(stranger, { url: site.url('/image') })
      const path = (job: string | undefined) =>
        `GET ${extractPath}/${job}/file?signature=${signature}`

      assert.equal((await callApi(service.url, path(id))).statusCode, 200)
      const refused = await callApi(service.url, path(other.headers['x-job-id']))
      assertFailure(refused, 'UNAUTHORIZED')
    })

    await t.test('a file that is no longer kept is 410, by its link too', async () => {
      const old = await extract(account, { url: site.url('/archive') })
      const oldId = old.headers['x-job-id'] ?? ''
      await ageTask((await service.openBeside()).db, oldId, 72.1)

      const link = new URL(old.json().data.file.url)
      const byLink = await callApi(service.url, `GET ${link.pathname}${link.search}`)
      const byKey = await account.call(`GET ${extractPath}/${oldId}/file`)

      assertFailure(byLink, 'EXPIRED')
      assertFailure(byKey, 'EXPIRED')
      assert.equal((await getJob(account, oldId)).data, null)
    })

    await t.test('an image that may contain scripts is sent as an attachment', async () => {
      site.page('/drawing', (_, response) =>
        response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg/>'),
      )
      const { data } = (await extract(account, { url: site.url('/drawing') })).json()
      const opened = await fetch(data.file.url)

      assert.equal(opened.headers.get('content-disposition'), 'attachment')
    })

    await t.test('a page has no file', async () => {
      const page = await extract(account, { url: site.url('/page') })

      assert.equal('file' in page.json().data, false)
      const answer = await account.call(`GET ${extractPath}/${page.headers['x-job-id']}/file`)
      assertFailure(answer, 'NOT_FOUND')
    })
  })
})

/** Pages over TLS: invalid certificates are rejected, and mixed content is not loaded. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { TLSSocket, TlsOptions } from 'node:tls'
import { assertFails } from '../support/assert-fails.ts'
import { startBrowserScene } from '../support/browser-scene.ts'
import { startCanaries } from '../support/canaries.ts'
import { openTestPage } from '../support/test-browser.ts'
import { startTestDns } from '../support/test-dns.ts'

const certificate = (name: string): string =>
  readFileSync(new URL(`../outbound/${name}-certificate.pem`, import.meta.url), 'utf8')
const withKey = (pem: string): TlsOptions => ({ key: pem, cert: pem })
const good = certificate('test')
const scripted = {
  js_render: true,
  block_resources: false,
  optimizations: { loadOnlySameOriginRequests: false },
}

interface SecureSite {
  port: number
  /** What was asked for, and whether by a visitor who has been there before. */
  asked: { path: string; isKnown: boolean }[]
}

async function startSecureSite(
  t: Pick<TestContext, 'after'>,
  options: TlsOptions,
  pages: Record<string, string> = {},
): Promise<SecureSite> {
  const asked: SecureSite['asked'] = []
  const server = createServer(options, ({ url = '', socket }, response) => {
    asked.push({ path: url, isKnown: (socket as TLSSocket).isSessionReused() })
    const headers = {
      'content-type': 'text/html',
      'strict-transport-security': 'max-age=3600; includeSubDomains',
      connection: 'close',
    }
    response.writeHead(200, headers).end(pages[url] ?? '<p>secret</p>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, asked }
}

test('a page over TLS', async (t) => {
  const loopback = { addresses: ['127.0.0.1'] }
  const dns = await startTestDns(t, {
    'secure.example.com': loopback,
    'plain.example.com': loopback,
  })
  const { site, visit, html } = await startBrowserScene(t, {
    trusted: good,
    dnsServers: [dns.address],
    allow: ['127.0.0.1'],
  })
  const plain = `plain.example.com:${site.port}`
  const pages: Record<string, string> = {}
  const secure = await startSecureSite(t, withKey(good), pages)
  const secureUrl = (path: string) => `https://secure.example.com:${secure.port}${path}`

  await t.test('a page with a valid certificate is loaded', async () => {
    assert.match(await html(secureUrl('/'), scripted), /<p>secret<\/p>/)
  })

  await t.test('a redirect from http to https is followed', async () => {
    site.page('/up', (_, response) =>
      response.writeHead(301, { location: secureUrl('/there') }).end(),
    )

    const { page } = await visit('/up', scripted)

    assert.equal(page.url, secureUrl('/there'))
  })

  for (const [name, options] of Object.entries({
    'a certificate of an unknown authority': withKey(certificate('stranger')),
    'an expired certificate': withKey(certificate('expired')),
    'TLS 1.0 and 1.1 alone': {
      ...withKey(good),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    },
  } satisfies Record<string, TlsOptions>)) {
    await t.test(`a page with ${name} fails with TARGET_TLS_FAILED`, async () => {
      const { port, asked } = await startSecureSite(t, options)
      site.page('/to-bad', (_, response) =>
        response.writeHead(302, { location: `https://127.0.0.1:${port}/` }).end(),
      )

      await assertFails('TARGET_TLS_FAILED', visit(`https://127.0.0.1:${port}/`, scripted))
      await assertFails('TARGET_TLS_FAILED', visit('/to-bad', scripted))

      assert.deepEqual(asked, [])
    })
  }

  await t.test('an https page of a server without TLS fails with TARGET_TLS_FAILED', async () => {
    const url = `https://127.0.0.1:${site.port}/`

    await assertFails('TARGET_TLS_FAILED', visit(url, scripted))
  })

  await t.test('a page is loaded without resources that have an invalid certificate', async () => {
    const stranger = await startSecureSite(t, withKey(certificate('stranger')))
    pages['/with-bad'] =
      `<p>shown</p><script src="https://127.0.0.1:${stranger.port}/x.js"></script>`

    assert.match(await html(secureUrl('/with-bad'), scripted), /<p>shown<\/p>/)
    assert.deepEqual(stranger.asked, [])
  })

  await t.test('an https page loads no mixed content', async () => {
    pages['/mixed'] = `<p>shown</p>
      <img src="http://${plain}/mixed.png"><script src="http://${plain}/mixed.js"></script>
      <link rel=stylesheet href="http://${plain}/mixed.css"><iframe src="http://${plain}/mixed"></iframe>
      <script>
        fetch('http://${plain}/mixed.json').catch(() => undefined)
        try { new WebSocket('ws://${plain}/mixed') } catch {}
      </script>`

    assert.match(await html(secureUrl('/mixed'), { ...scripted, mode: 'SPA' }), /<p>shown<\/p>/)
    assert.deepEqual(
      site.asked.filter((path) => path.startsWith('/mixed')),
      [],
    )
  })

  await t.test('HSTS of a site holds within its task only', async () => {
    const sameName = `http://secure.example.com:${site.port}/plain`
    site.page('/plain', '<p>plain</p>')
    pages['/back'] = `<script>location.href = '${sameName}'</script>`

    await assertFails('TARGET_TLS_FAILED', visit(secureUrl('/back'), scripted))

    assert.match(await html(sameName, scripted), /<p>plain<\/p>/)
  })

  await t.test('no task resumes the TLS session of another task', async () => {
    pages['/known'] = "<script>fetch('/known.txt').then(() => fetch('/known.txt'))</script>"
    secure.asked.length = 0

    await visit(secureUrl('/known'), { ...scripted, mode: 'SPA' })
    await visit(secureUrl('/known'), { ...scripted, mode: 'SPA' })

    const known = secure.asked.filter(({ isKnown }) => isKnown).map(({ path }) => path)
    assert.equal(secure.asked.length, 6)
    assert.ok(known.length > 0, 'within a task it is gone on with')
    assert.ok(!known.includes('/known'))
  })

  await t.test('the browser fetches no URL that a certificate names', async (t) => {
    const canaries = await startCanaries(t, ['issuer'])
    const { port } = await startSecureSite(t, askingAt(canaries.all[0]?.port ?? 0))
    const url = `https://127.0.0.1:${port}/`

    await assertFails('TARGET_TLS_FAILED', visit(url, scripted))
    assert.deepEqual([...canaries.reached], [])

    const page = await openTestPage(t)
    await assert.rejects(page.goto(url))
    assert.deepEqual([...canaries.reached], ['issuer'], 'any other browser asks there')
  })
})

/** A certificate that says that its issuer, and whether it is still good, can be asked for at a port. */
function askingAt(port: number): TlsOptions {
  const pem = certificate('elsewhere')
  const [, base64 = ''] = /BEGIN CERTIFICATE-----(.*?)-----END/s.exec(pem) ?? []
  const bytes = Buffer.from(base64, 'base64')
  const digits = String(port).padStart(5, '0')
  // That its signature is no longer right is seen only by those who know its issuer.
  for (let at = bytes.indexOf(':00000/'); at > 0; at = bytes.indexOf(':00000/')) {
    bytes.write(`:${digits}/`, at)
  }
  const lines = bytes.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: pem,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

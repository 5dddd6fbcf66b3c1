import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFreePort } from '../support/free-port.ts'
import { startPageSite } from '../support/page-site.ts'
import { documentsIn, startCommandScene } from '../support/run-job-command.ts'

test('trawl map lists the URLs of a site, which trawl batch can fetch at once', async (t) => {
  const { run } = await startCommandScene(t)
  const site = await startPageSite(t)
  site.page(
    '/',
    '<a href="/a?x=1">a</a> <a href="/b">b</a> <a href="https://elsewhere.test/">c</a>',
  )
  site.page('/sitemap.xml', (_request, response) => {
    const urls = ['/b', '/from-sitemap'].map((path) => `<url><loc>${site.url(path)}</loc></url>`)
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`)
  })

  const mapped = await run(['map', site.url('/')])
  const searched = await run(['map', site.url('/'), '--search', 'SITEMAP', '--json'])
  const fetched = await run(['batch', '-'], { stdin: mapped.stdout })

  assert.equal(mapped.code, 0, mapped.stderr)
  const urls = mapped.stdout.trimEnd().split('\n')
  for (const path of ['/a', '/b', '/from-sitemap']) assert.ok(urls.includes(site.url(path)), path)
  assert.ok(!mapped.stdout.includes('elsewhere'))
  assert.deepEqual(
    JSON.parse(searched.stdout).links.map((link: { url: string }) => link.url),
    [site.url('/from-sitemap')],
  )
  assert.equal(fetched.code, 0, fetched.stderr)
  assert.equal(documentsIn(fetched.stdout).length, urls.length)
})

test('trawl map of a host that cannot be reached fails, exit 1', async (t) => {
  const { run } = await startCommandScene(t)

  const { code, stdout, stderr } = await run(['map', `http://127.0.0.1:${await findFreePort()}/`])

  assert.deepEqual([code, stdout], [1, ''], stderr)
})

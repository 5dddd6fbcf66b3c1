import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { documentsIn, endOf, readIndex, startCommandScene } from '../support/run-job-command.ts'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { respondFailure, startScriptedService } from '../support/scripted-service.ts'

test('trawl crawl follows the links of a site within its options and writes each page', async (t) => {
  const { run, cwd } = await startCommandScene(t)
  const site = await startPageSite(t)
  site.page('/', '<a href="/docs/a">a</a> <a href="/docs/b">b</a> <a href="/other">c</a>')
  for (const path of ['/docs/a', '/docs/b', '/other']) site.page(path, `<h1>Page ${path}</h1>`)
  const flags = ['--include', '/docs/*', '--exclude', '*/b', '--out', 'site', '--depth', '2']

  const { code, stdout, stderr } = await run(['crawl', site.url('/'), ...flags])

  assert.equal(code, 0, stderr)
  assert.equal(stdout, '')
  assert.match(
    stderr,
    /^Crawl [0-9a-f-]{36}: http:.*\n2 pages: 2 completed, 0 failed in .*, site\n$/,
  )
  const index = await readIndex(join(cwd, 'site'))
  assert.deepEqual(
    index.map((one) => [one['url'], one['depth'], one['parent_url']]),
    [
      [site.url('/'), 1, null],
      [site.url('/docs/a'), 2, site.url('/')],
    ],
  )
  const page = await readFile(join(cwd, 'site', String(index[1]?.['file'])), 'utf8')
  assert.equal(page, '# Page /docs/a\n')
})

test('trawl crawl prints pages as NDJSON, and exits with 1 where one failed', async (t) => {
  const { run } = await startCommandScene(t)
  const site = await startPageSite(t)
  site.page('/', '<a href="/gone">gone</a>')
  site.page('/gone', (_request, response) => {
    response.writeHead(302, { location: '/gone' }).end()
  })

  const { code, stdout, stderr } = await run(['crawl', site.url('/')])

  assert.equal(code, 1, stderr)
  assert.deepEqual(
    documentsIn(stdout).map((one) => [one['url'], one['status']]),
    [
      [site.url('/'), 'completed'],
      [site.url('/gone'), 'failed'],
    ],
  )
  assert.match(stderr, /2 pages: 1 completed, 1 failed/)
})

test('Ctrl-C leaves the crawl to the service, and --resume gets its pages', async (t) => {
  const { start, run } = await startCommandScene(t)
  const site = await startHoldingSite(t)
  const begun = start(['crawl', site.url('/'), '--no-robots', '--format', 'html'])
  const held = await site.untilHeld('/')

  begun.child.kill('SIGINT')
  const { code, stderr } = await endOf(begun)
  held.answer()
  const [, id = ''] = /npx trawl crawl --resume (\S+) --format html/.exec(stderr) ?? []
  const resumed = await run(['crawl', '--resume', id])

  assert.equal(code, 130, stderr)
  assert.equal(resumed.code, 0, resumed.stderr)
  assert.deepEqual(
    documentsIn(resumed.stdout).map((one) => one['data']),
    [{ html: '<p>held</p>', markdown: null }],
  )
})

test('the flags of trawl crawl become the options of the request', async (t) => {
  const { url, calls } = await startScriptedService(t, (_call, response) =>
    respondFailure(response, 404, 'NOT_FOUND'),
  )
  const cwd = await scratchFolder(t)
  const run = (...flags: string[]) =>
    endOf(runTrawl(t, ['crawl', 'http://a.test/', '--server', url, ...flags], { cwd }))

  await run()
  await run(
    ...['--depth', '3', '--limit', '7', '--include', '/a*', '--include', '/b*', '--exclude', '/c*'],
    ...['--delay', '50', '--sitemaps', '--no-robots', '--subdomains', '--any-domain'],
    ...['--format', 'text', '--render', '--page-timeout', '5'],
  )

  const [plain, given] = calls.map(({ body }) => body)
  assert.deepEqual(plain, {
    url: 'http://a.test/',
    formats: ['markdown'],
    only_main_content: true,
  })
  assert.deepEqual(given, {
    url: 'http://a.test/',
    formats: ['text'],
    only_main_content: true,
    render_js: true,
    timeout: 5000,
    depth: 3,
    limit: 7,
    include_paths: ['/a*', '/b*'],
    exclude_paths: ['/c*'],
    delay_ms: 50,
    use_sitemaps: true,
    respect_robots: false,
    include_subdomains: true,
    same_domain_only: false,
  })
})

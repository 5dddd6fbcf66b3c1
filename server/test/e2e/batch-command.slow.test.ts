import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { documentsIn, endOf, readIndex, startCommandScene } from '../support/run-job-command.ts'

const escapeCode = '\u001b'

test('trawl batch prints the pages of a list in its order, one JSON document a line', async (t) => {
  const { run } = await startCommandScene(t)
  const site = await startPageSite(t)
  site.page('/a', '<main><h1>Cod</h1></main>')
  const list = `\ufeff# fish\r\n${site.url('/a')}\r\n\r\n  ${site.url('/none')}\n${site.url('/a')}`

  const { code, stdout, stderr } = await run(['batch', '-', '--format', 'text'], { stdin: list })

  assert.equal(code, 0, stderr)
  const results = documentsIn(stdout) as { data: { text: string }; metadata: object }[]
  assert.deepEqual(
    results.map(({ data, metadata, ...rest }) => [
      (rest as Record<string, unknown>)['input_index'],
      (metadata as Record<string, unknown>)['http_status'],
      data.text.trim(),
    ]),
    [
      [0, 200, 'Cod'],
      [1, 404, 'nothing here'],
      [2, 200, 'Cod'],
    ],
  )
  assert.match(stderr, /^Batch [0-9a-f-]{36}: 3 URLs\n3 pages: 3 completed, 0 failed in .* s\n$/)
  assert.ok(!stderr.includes(escapeCode), 'No bar is drawn in a pipe.')
})

test('URLs that are not valid count as failed, exit 1, and the others are fetched', async (t) => {
  const { run, cwd } = await startCommandScene(t)
  const site = await startPageSite(t)
  await writeFile(join(cwd, 'urls'), `nonsense\n${site.url('/a')}\nftp://a.test/\nnonsense\n`)
  await writeFile(join(cwd, 'bad'), 'nonsense\n')

  const some = await run(['batch', 'urls'])
  const none = await run(['batch', 'bad'])

  assert.equal(some.code, 1)
  const codes = documentsIn(some.stdout).map((one) => [one['input_index'], one['error_code']])
  assert.deepEqual(codes, [
    [1, null],
    [0, 'INVALID_URL'],
    [2, 'INVALID_URL'],
    [3, 'INVALID_URL'],
  ])
  assert.match(some.stderr, /4 pages: 1 completed, 3 failed/)
  assert.deepEqual([none.code, documentsIn(none.stdout).length], [1, 1], none.stderr)
})

test('trawl batch --out writes each page to a file of its own and never outside the folder', async (t) => {
  const { run, cwd } = await startCommandScene(t)
  const site = await startPageSite(t)
  const paths = ['/a', '/a', '/..%2f..%2fescaped', '/A', `/${'x'.repeat(300)}`, '/a?q=../../b']
  for (const path of paths) site.page(path.replace(/\?.*/, ''), `<h1>Page ${path}</h1>`)
  const list = [...paths.map((path) => site.url(path)), 'http://127.0.0.1:1/'].join('\n')
  const flags = ['--out', 'pages/new', '--json', '--format', 'html']

  const first = await run(['batch', '-', ...flags], { stdin: list })
  const again = await run(['batch', '-', ...flags], { stdin: site.url('/a') })

  assert.equal(first.code, 1, first.stderr)
  const { jobs, ...counts } = JSON.parse(first.stdout)
  assert.equal(jobs.length, 1)
  assert.deepEqual(counts, { total: 7, completed: 6, failed: 1, cancelled: 0 })
  assert.equal(again.code, 0, again.stderr)

  assert.deepEqual(await readdir(cwd), ['pages'])
  const folder = join(cwd, 'pages', 'new')
  const index = await readIndex(folder)
  const written = index.filter(({ file }) => file !== null)
  const files = written.map(({ file }) => String(file))
  assert.deepEqual((await readdir(folder)).sort(), [...new Set(files), 'index.ndjson'].sort())
  assert.equal(new Set(files).size, 7)
  for (const { url, file } of written) {
    const path = String(url).slice(site.origin.length)
    assert.match(await readFile(join(folder, String(file)), 'utf8'), /<h1>Page /)
    assert.ok(paths.includes(path))
  }
  const [refused] = index.filter(({ file }) => file === null)
  assert.deepEqual([refused?.['status'], refused?.['error_code']], ['failed', 'INVALID_URL'])
})

test('Ctrl-C leaves the batch to the service, and the printed command gets its results', async (t) => {
  const { start, run, cwd, account } = await startCommandScene(t)
  const site = await startHoldingSite(t)
  await writeFile(join(cwd, 'urls'), `${site.url('/1')}\n${site.url('/2')}\n`)
  const begun = start(['batch', 'urls', '--out', "it's here"])
  const [held, other] = [await site.untilHeld('/1'), await site.untilHeld('/2')]

  begun.child.kill('SIGINT')
  const { code, stderr } = await endOf(begun)

  assert.equal(code, 130, stderr)
  const [, id = ''] = /The batch (\S+) stays with the service/.exec(stderr) ?? []
  assert.match(stderr, new RegExp(`npx trawl batch --resume ${id} --out 'it'\\\\''s here'`))
  assert.deepEqual(await readIndex(join(cwd, "it's here")), [])
  held.answer()
  other.answer()
  const resumed = await run(['batch', '--resume', id, '--out', "it's here"])
  assert.equal(resumed.code, 0, resumed.stderr)
  assert.equal((await readIndex(join(cwd, "it's here"))).length, 2)
  assert.equal((await account.call(`GET /v1/batch/${id}`)).json().status, 'completed')
})

test('trawl batch has an exit code of its own for a wrong key and an unknown batch', async (t) => {
  const { run } = await startCommandScene(t)
  const unknown = '01a1e75d-b99d-7000-93fe-4b1207cc9688'

  const stranger = await run(['batch', '-', '--api-key', 'wrong'], { stdin: 'http://a.test/' })
  const missing = await run(['batch', '--resume', unknown])

  assert.deepEqual([stranger.code, missing.code], [3, 4], stranger.stderr + missing.stderr)
  assert.match(missing.stderr, /NOT_FOUND: There is no such batch\./)
  assert.doesNotMatch(missing.stderr, /stays with the service/)
})

import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { chmodSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startWatchingFile } from './watch-file.ts'

function watchNewFile(t: TestContext, text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-watch-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'watched')
  writeFileSync(path, text)
  return { folder, path, ...watch(t, path) }
}

function watch(t: TestContext, path: string) {
  const reports = new EventEmitter()
  const watching = startWatchingFile({
    path,
    bytesMax: 100,
    pollIntervalMs: 5,
    onText: (text) => reports.emit('reports', text),
    onUnreadable: (reason) => reports.emit('reports', `! ${reason}`),
  })
  t.after(() => watching[Symbol.dispose]())
  return { reports, watching, next: () => nextOf(reports) }
}

async function nextOf(reports: EventEmitter): Promise<unknown> {
  const late = new AbortController()
  // The watcher's timer does not keep the process alive, so this one does.
  const deadline = setTimeout(() => late.abort(), 20_000)
  const [text] = await once(reports, 'reports', { signal: late.signal })
  clearTimeout(deadline)
  return text
}

test('the watcher reports the text of a file at the start and after each change', async (t) => {
  const { path, next } = watchNewFile(t, 'one')
  assert.equal(await next(), 'one')

  writeFileSync(path, 'two')
  assert.equal(await next(), 'two')

  writeFileSync(path, '')
  assert.equal(await next(), '')
})

test('the watcher notices a file that is replaced by another file or by a link', async (t) => {
  const { folder, path, next } = watchNewFile(t, 'one')
  await next()

  writeFileSync(join(folder, 'other'), 'two')
  renameSync(join(folder, 'other'), path)
  assert.equal(await next(), 'two')

  writeFileSync(join(folder, 'target'), 'three')
  symlinkSync(join(folder, 'target'), join(folder, 'link'))
  renameSync(join(folder, 'link'), path)
  assert.equal(await next(), 'three')

  writeFileSync(join(folder, 'target'), 'four')
  assert.equal(await next(), 'four')
})

test('a missing or too large file is reported once, and read when it is valid again', async (t) => {
  const { path, next } = watchNewFile(t, 'one')
  await next()

  rmSync(path)
  assert.equal(await next(), '! ENOENT')

  writeFileSync(path, 'x'.repeat(101))
  assert.equal(await next(), '! more than 100 bytes')

  writeFileSync(path, 'two')
  chmodSync(path, 0o600)
  assert.equal(await next(), 'two')
})

test('a file that keeps changing is read only when it has settled', async (t) => {
  const { path, next, reports } = watchNewFile(t, 'one')
  await next()
  const texts: string[] = []
  reports.on('reports', (text: string) => texts.push(text))

  for (let round = 0; round < 200; round++) {
    writeFileSync(path, `${round}`)
    await new Promise(setImmediate)
  }
  while (texts.at(-1) !== '199') await next()

  assert.ok(texts.length < 100, `The file was read ${texts.length} times.`)
})

test('a stopped watcher reports nothing', async (t) => {
  const { path, next, watching, reports } = watchNewFile(t, 'one')
  await next()
  reports.on('reports', () => assert.fail('The stopped watcher reported a change.'))

  watching[Symbol.dispose]()
  writeFileSync(path, 'two')

  assert.equal(await watch(t, path).next(), 'two')
})

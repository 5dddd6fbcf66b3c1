import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { chmodSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startWatchingFile } from './watch-file.ts'

function createScene(t: TestContext, begun: string) {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-watch-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'watched')
  writeFileSync(path, begun)
  return { folder, path, ...watch(t, path) }
}

function watch(t: TestContext, path: string) {
  const told = new EventEmitter()
  const watching = startWatchingFile({
    path,
    bytesMax: 100,
    everyMs: 5,
    onText: (text) => told.emit('told', text),
    onUnreadable: (reason) => told.emit('told', `! ${reason}`),
  })
  t.after(() => watching[Symbol.dispose]())
  return { told, watching, next: () => nextOf(told) }
}

async function nextOf(told: EventEmitter): Promise<unknown> {
  const late = new AbortController()
  // Watching keeps no process alive, so that a test has to.
  const deadline = setTimeout(() => late.abort(), 20_000)
  const [text] = await once(told, 'told', { signal: late.signal })
  clearTimeout(deadline)
  return text
}

test('what a file is at the beginning is told, and then whatever it becomes', async (t) => {
  const { path, next } = createScene(t, 'one')
  assert.equal(await next(), 'one')

  writeFileSync(path, 'two')
  assert.equal(await next(), 'two')

  writeFileSync(path, '')
  assert.equal(await next(), '')
})

test('a file that is replaced by another or by a link is seen', async (t) => {
  const { folder, path, next } = createScene(t, 'one')
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

test('a file that is gone or too large is told once, and read when it is back', async (t) => {
  const { path, next } = createScene(t, 'one')
  await next()

  rmSync(path)
  assert.equal(await next(), '! ENOENT')

  writeFileSync(path, 'x'.repeat(101))
  assert.equal(await next(), '! more than 100 bytes')

  writeFileSync(path, 'two')
  chmodSync(path, 0o600)
  assert.equal(await next(), 'two')
})

test('a file is read once it is left alone', async (t) => {
  const { path, next, told } = createScene(t, 'one')
  await next()
  const texts: string[] = []
  told.on('told', (text: string) => texts.push(text))

  for (let round = 0; round < 200; round++) {
    writeFileSync(path, `${round}`)
    await new Promise(setImmediate)
  }
  while (texts.at(-1) !== '199') await next()

  assert.ok(texts.length < 100, `It was read ${texts.length} times.`)
})

test('after its end nothing is told', async (t) => {
  const { path, next, watching, told } = createScene(t, 'one')
  await next()
  told.on('told', () => assert.fail('It was told.'))

  watching[Symbol.dispose]()
  writeFileSync(path, 'two')

  assert.equal(await watch(t, path).next(), 'two')
})

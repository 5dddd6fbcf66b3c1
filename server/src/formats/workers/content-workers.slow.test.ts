import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import test, { type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { compileCacheEnvironment } from '../../runtime/compile-cache.ts'
import { createLog } from '../../runtime/log.ts'
import type { DataOrder } from '../catalogue.ts'
import type { PageToPresent } from '../present.ts'
import { type ContentWorkersOptions, startContentWorkers } from './content-workers.ts'
import type { PresentCaller } from './worker-pool.ts'

const log = createLog({ level: 'silent', isPretty: false })

/** Presents pages of one account, unless the test names another. */
function start(t: TestContext, options: Partial<ContentWorkersOptions> = {}) {
  const threads = startContentWorkers({ count: 1, log, ...options })
  t.after(() => threads[Symbol.asyncDispose]())
  return {
    present: (page: PageToPresent, caller: Partial<PresentCaller> = {}) =>
      threads.present(page, { accountId: 'a', ...caller }),
  }
}

/** A page for a worker: what declares UTF-8 and is small is presented on the event loop. */
const pageOf = (text: string, changes: Partial<PageToPresent> = {}): PageToPresent => ({
  body: Buffer.from(text),
  contentEncoding: undefined,
  contentType: 'text/html',
  isJson: false,
  minify: undefined,
  form: 'plain',
  ...changes,
})

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

/** The minifier takes quadratic time for nested images. */
const trap = '<svg>'.repeat(900_000)

test('a page is decompressed and returned as UTF-8', async (t) => {
  const body = gzipSync('<p>"größer"\n</p>')

  const content = await start(t).present(pageOf('', { body, contentEncoding: 'gzip' }))

  assert.equal(textOf(content.bytes), '<p>"größer"\n</p>')
  assert.deepEqual(
    { ...content, bytes: undefined },
    { kind: 'html', bytes: undefined, charset: 'utf-8', hasReplacements: false, decodedBytes: 18 },
  )
})

test('the embedded form of a page is a JSON string', async (t) => {
  const threads = start(t)
  const texts = ['', 'a"b\\c\n\u0001\u2028ü€😀', '"ü'.repeat(2 ** 20), '€'.repeat(2 ** 20)]

  for (const text of texts) {
    const { bytes } = await threads.present(pageOf(text, { form: 'embedded' }))
    assert.equal(JSON.parse(textOf(bytes)), text)
  }
})

test('a page that grows too large as JSON fails in the embedded form, not in the plain one', async (t) => {
  const threads = start(t)
  const text = '\u0001'.repeat(20 * 2 ** 20)

  const plain = await threads.present(pageOf(text))

  assert.equal(plain.bytes.byteLength, text.length)
  await assert.rejects(threads.present(pageOf(text, { form: 'embedded' })), {
    code: 'RESPONSE_TOO_LARGE',
  })
})

test('large pages share one thread, so that small pages do not wait for them', async (t) => {
  const threads = start(t, { count: 2 })
  const ended: string[] = []
  const present = (name: string, text: string) =>
    threads.present(pageOf(text, { form: 'embedded' })).then(() => ended.push(name))
  // Both threads are up before any of them has to be quicker than the other.
  await Promise.all([present('first', 'a'), present('first', 'a')])

  const large = Array.from({ length: 4 }, () => present('large', 'a"'.repeat(5 * 2 ** 20)))
  const small = Array.from({ length: 8 }, () => present('small', 'a'))
  await Promise.all([...large, ...small])

  assert.deepEqual(ended.slice(-3), ['large', 'large', 'large'])
})

test('a JSON document is returned unchanged, embedded or plain', async (t) => {
  const threads = start(t)

  for (const form of ['embedded', 'plain'] as const) {
    const text = '{"a": [1.10, "ü", 12345678901234567890]}'
    const content = await threads.present(pageOf(text, { isJson: true, form }))
    assert.deepEqual([content.kind, textOf(content.bytes)], ['json', text])
  }
})

const bad = {
  'text that is not JSON': [pageOf('<p>', { isJson: true }), 'BAD_RESPONSE'],
  'an empty body where JSON was asked for': [pageOf('', { isJson: true }), 'BAD_RESPONSE'],
  'a broken encoding': [pageOf('plain', { contentEncoding: 'gzip' }), 'BAD_RESPONSE'],
  'a decompression bomb': [
    pageOf('', { body: gzipSync(Buffer.alloc(2 ** 23)), contentEncoding: 'gzip' }),
    'RESPONSE_TOO_LARGE',
  ],
} as const

for (const [name, [page, code]] of Object.entries(bad)) {
  test(`${name} fails with ${code}, and the thread handles the next page`, async (t) => {
    const threads = start(t)

    const failed = threads.present(page)
    const next = threads.present(pageOf('next'))

    await assert.rejects(failed, { name: 'Failure', code })
    assert.equal(textOf((await next).bytes), 'next')
  })
}

test('the page’s buffer is not changed or detached, also where it is part of a larger one', async (t) => {
  const around = Buffer.from('before<p>page</p>after')
  const page = pageOf('', { body: around.subarray(6, 17) })

  const { bytes } = await start(t).present(page)

  assert.equal(textOf(bytes), '<p>page</p>')
  assert.equal(around.toString(), 'before<p>page</p>after')
})

test('the content owns its whole buffer, so that it can be transferred', async (t) => {
  for (const form of ['plain', 'embedded'] as const) {
    for (const contentType of ['text/html', 'text/html; charset=utf-8']) {
      const { bytes } = await start(t).present(pageOf('<p>page</p>', { form, contentType }))
      assert.equal(bytes.buffer.byteLength, bytes.byteLength)
    }
  }
})

test('many concurrent pages each get their own content', async (t) => {
  const threads = start(t, { count: 2 })
  const texts = Array.from({ length: 500 }, (_, index) => `page ${index} `.repeat(index))

  const contents = await Promise.all(texts.map((text) => threads.present(pageOf(text))))

  assert.deepEqual(
    contents.map(({ bytes }) => textOf(bytes)),
    texts,
  )
})

test('a page that takes longer than its time limit fails with CONTENT_TOO_COMPLEX', async (t) => {
  const threads = start(t, { pageMs: 1 })
  // Starting a thread alone takes longer than that.
  const slow = threads.present(pageOf('slow'))

  await assert.rejects(slow, { code: 'CONTENT_TOO_COMPLEX', message: /within 1 ms/ })
})

test('a page that takes the minifier too long is returned without minifying', async (t) => {
  const threads = start(t, { minifyMs: 1_000 })

  const trapped = threads.present(pageOf(trap, { minify: { useMinifier: true } }))
  const others = [1, 2, 3].map((number) => threads.present(pageOf(`other ${number}`)))

  const texts = (await Promise.all(others)).map(({ bytes }) => textOf(bytes))
  assert.deepEqual(texts, ['other 1', 'other 2', 'other 3'])
  assert.equal((await trapped).bytes.byteLength, trap.length)
})

test('an aborted page is dropped and does not delay the next one', async (t) => {
  const threads = start(t, { minifyMs: 600_000 })
  const minify = { useMinifier: true }
  const leaving = new AbortController()
  const left = [1, 2, 3].map(() =>
    threads.present(pageOf(trap, { minify }), { signal: leaving.signal }),
  )
  const next = threads.present(pageOf('<p>one    two</p>', { minify }))

  leaving.abort(new Error('no longer wanted'))

  for (const one of left) await assert.rejects(one, /no longer wanted/)
  assert.equal(textOf((await next).bytes), '<p>one two</p>')
  for (const contentType of ['text/html', 'text/html; charset=utf-8']) {
    const late = threads.present(pageOf('late', { contentType }), { signal: leaving.signal })
    await assert.rejects(late, /no longer wanted/)
  }
})

test('a page that exhausts the minifier’s memory is returned without minifying, after one try', async (t) => {
  const processes = watchProcesses(t)
  const threads = start(t)
  const hungry = `<a ${'b=c '.repeat(1_200_000)}>`

  const content = await threads.present(pageOf(hungry, { minify: { useMinifier: true } }))

  assert.equal(content.bytes.byteLength, hungry.length)
  assert.equal(processes.length, 1)
})

test('a JSON document that would exhaust a parser’s memory is returned', async (t) => {
  const threads = start(t)
  const text = `[${'[],'.repeat(12_000_000)}[]]`

  const content = await threads.present(pageOf(text, { isJson: true }))

  assert.equal(content.bytes.byteLength, text.length)
})

test('content threads and worker processes see nothing of the environment but the compile cache', async (t) => {
  const [environments, processes] = [watchThreads(t), watchProcesses(t)]
  const threads = start(t)

  await threads.present(pageOf('page'))
  await threads.present(pageOf('page', { minify: { useMinifier: true } }))

  const [environment = '{}', ...others] = await Promise.all(environments)
  assert.deepEqual(others, [])
  assert.deepEqual(JSON.parse(environment), compileCacheEnvironment())
  assert.equal(processes.length, 1)
  const names = readFileSync(`/proc/${processes[0]?.pid}/environ`, 'utf8').split(/=[^\0]*\0/)
  // The last name is empty, after the last terminator; the others are Node's IPC channel and cache.
  assert.match(names.join(' '), /^(NODE_(CHANNEL|COMPILE)_\w+ )+$/)
})

const extractOf = (formats: DataOrder['formats']): Partial<PageToPresent> => ({
  form: 'embedded',
  extract: {
    url: 'https://site.example/',
    formats,
    hasLinks: false,
    isMainContentOnly: false,
    rules: undefined,
  },
})

test('only extractions from large texts run in a process, compressed or not', async (t) => {
  const processes = watchProcesses(t)
  const threads = start(t)
  const words = Array.from({ length: 200_000 }, (_, at) => `word${at}`).join(' ')
  const text = `<p>${words}</p>`

  await threads.present(pageOf('<p>small</p>', extractOf(['text'])))
  assert.equal(processes.length, 0)
  const plain = await threads.present(pageOf(text, extractOf(['text'])))
  const body = gzipSync(text)
  const page = pageOf('', { ...extractOf(['text']), body, contentEncoding: 'gzip' })
  const compressed = await threads.present(page)

  assert.equal(JSON.parse(textOf(plain.bytes)).text, words)
  assert.equal(textOf(compressed.bytes), textOf(plain.bytes))
  assert.equal(processes.length, 1)
})

/** The environments of the threads that this process starts, as each of them sees it. */
function watchThreads(t: TestContext): Promise<string>[] {
  const environments: Promise<string>[] = []
  const session = new Session()
  session.connect()
  t.after(() => session.disconnect())
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    environments.push(promise)
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      if (params.sessionId === sessionId) resolve(JSON.parse(params.message).result.result.value)
    })
    const ask = {
      id: 1,
      method: 'Runtime.evaluate',
      params: { expression: 'JSON.stringify(process.env)' },
    }
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify(ask) })
  })
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  return environments
}

function watchProcesses(t: TestContext): ChildProcess[] {
  const processes: ChildProcess[] = []
  const note = (message: unknown) => processes.push((message as { process: ChildProcess }).process)
  subscribe('child_process', note)
  t.after(() => unsubscribe('child_process', note))
  return processes
}

test('markdown is rendered in a process of its own, which a full heap ends instead of the service', async (t) => {
  const processes = watchProcesses(t)
  const extract: DataOrder = {
    formats: ['markdown'],
    hasLinks: false,
    isMainContentOnly: false,
    rules: undefined,
    url: 'http://a.test/',
  }

  const { bytes } = await start(t).present(
    pageOf('# Cod', { contentType: 'text/plain', extract, preview: 'markdown' }),
  )

  assert.match(textOf(bytes), /<h1>Cod<\/h1>/)
  assert.equal(processes.length, 1)
})

test('pages fail with SHUTTING_DOWN once the threads are closed', async () => {
  const threads = startContentWorkers({ count: 1, log })
  const present = () => threads.present(pageOf('page'), { accountId: 'a' })
  const waiting = [1, 2, 3].map(() => assert.rejects(present(), { code: 'SHUTTING_DOWN' }))

  await threads[Symbol.asyncDispose]()

  await Promise.all(waiting)
  await assert.rejects(present(), { code: 'SHUTTING_DOWN' })
})

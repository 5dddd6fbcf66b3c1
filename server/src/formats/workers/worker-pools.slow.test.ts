import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { orderOf, smallPage } from '../../../test/support/pages-to-present.ts'
import { createLog } from '../../runtime/log.ts'
import type { DataOrder } from '../catalogue.ts'
import type { PageToPresent } from '../present.ts'
import { startContentWorkers } from './content-workers.ts'

const log = createLog({ level: 'silent', isPretty: false })

const extract = orderOf('markdown')

const rules: DataOrder['rules'] = { first: 'p' }

const jobsByPool: Record<string, Partial<PageToPresent>> = {
  threads: {},
  minifiers: { minify: { useMinifier: true } },
  'PDF readers': { extract, mayBePdf: true },
  'processes for large pages': { extract, isInProcess: true },
  'processes for rules': { extract: { ...extract, rules } },
  'processes for previews': { extract, preview: 'markdown' },
}

function start(t: TestContext) {
  const threads = startContentWorkers({ count: 1, log })
  t.after(() => threads[Symbol.asyncDispose]())
  return threads
}

for (const [pool, changes] of Object.entries(jobsByPool)) {
  test(`accounts take turns in the ${pool}`, async (t) => {
    const threads = start(t)
    const ended: string[] = []
    const present = (accountId: string) =>
      threads.present({ ...smallPage, ...changes }, { accountId }).then(() => ended.push(accountId))
    await present('first')
    // On a machine that stands still for a moment, an account would get a worker of its own, which has to start.
    t.mock.timers.enable({ apis: ['setTimeout'] })

    const ofOne = Array.from({ length: 60 }, () => present('a'))
    await Promise.all([...ofOne, present('b'), present('c')])

    // One of them had begun, and one was next in turn.
    assert.ok(ended.indexOf('b') <= 3, ended.slice(0, 9).join())
    assert.ok(ended.indexOf('c') <= 4, ended.slice(0, 9).join())
  })
}

test('an account gets a worker of its own while another has a page that is slow to present', async (t) => {
  const threads = start(t)
  const minify = { useMinifier: true }
  // The minifier takes quadratic time for nested images.
  const trap = { ...smallPage, minify, body: Buffer.from('<svg>'.repeat(60_000)) }
  const slow = new AbortController()
  const trapped = threads.present(trap, { accountId: 'a', signal: slow.signal })

  const { bytes } = await threads.present({ ...smallPage, minify }, { accountId: 'b' })

  assert.equal(Buffer.from(bytes).toString(), '"<p>one two</p>"')
  slow.abort(new Error('no longer wanted'))
  await assert.rejects(trapped, /no longer wanted/)
})

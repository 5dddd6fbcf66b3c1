import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notify } from '../../src/storage/statement.ts'
import { startScript } from '../support/script-process.ts'
import { createBlankStore, openBlankStore } from '../support/test-store.ts'
import { addItem, findItem, withItems } from './items.ts'

test('sqlite: a notice reaches nobody, takes no commit and leaves its transaction as it is', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  using subscription = db.listen('item_added', () => assert.fail('nobody notifies'))
  await subscription.whenActive
  const { commits } = db.statistics()

  const noticeRows = await db.run(notify('item_added', 'a'))
  const commitsAfter = db.statistics().commits
  const [, noticeRowsAfter, found] = await db.transaction([
    addItem('a'),
    notify('item_added', 'a'),
    findItem('a'),
  ])

  assert.deepEqual([noticeRows, noticeRowsAfter], [[], []])
  assert.equal(commitsAfter, commits)
  assert.deepEqual(found, [{ name: 'a', amount: 0 }])
})

test('postgres: a notice reaches listeners once its transaction is committed', async (t) => {
  const db = await openBlankStore(t, 'postgres', withItems)
  const heard = Promise.withResolvers<unknown>()
  using subscription = db.listen('item_added', (name) => heard.resolve(db.run(findItem(name))))
  await subscription.whenActive

  const [, noticeRows] = await db.transaction([addItem('a'), notify('item_added', 'a')])

  assert.deepEqual(noticeRows, [])
  assert.deepEqual(await heard.promise, [{ name: 'a', amount: 0 }])
})

test('postgres: a notice of a rolled-back transaction does not reach listeners', async (t) => {
  const db = await openBlankStore(t, 'postgres', withItems)
  await db.run(addItem('taken'))
  const heard: string[] = []
  const last = Promise.withResolvers<void>()
  using subscription = db.listen('item_added', (name) => {
    heard.push(name)
    if (name === 'last') last.resolve()
  })
  await subscription.whenActive

  await Promise.allSettled([
    db.transaction([notify('item_added', 'taken'), addItem('taken')]),
    db.transaction([notify('item_added', 'missing'), findItem('missing').required('there')]),
  ])
  await db.run(notify('item_added', 'last'))
  await last.promise

  assert.deepEqual(heard, ['last'])
})

test('postgres: a notice reaches every listener of its channel until it stops, and no others', async (t) => {
  const db = await openBlankStore(t, 'postgres', withItems)
  const heard: string[] = []
  const last = Promise.withResolvers<void>()
  const first = db.listen('one', (payload) => heard.push(`first ${payload}`))
  using second = db.listen('one', (payload) => heard.push(`second ${payload}`))
  using broken = db.listen('one', () => {
    throw new Error('A listener that fails.')
  })
  using other = db.listen('two', () => last.resolve())
  await Promise.all([first, second, broken, other].map(({ whenActive }) => whenActive))

  await db.run(notify('one', 'a'))
  await db.run(notify('two', ''))
  await last.promise
  first[Symbol.dispose]()
  const third = Promise.withResolvers<void>()
  using until = db.listen('three', () => third.resolve())
  await until.whenActive
  await db.transaction([notify('one', 'b'), notify('three', '')])
  await third.promise

  assert.deepEqual(heard, ['first a', 'second a', 'second b'])
})

test('postgres: a listener that subscribes again gets notices again', async (t) => {
  const db = await openBlankStore(t, 'postgres', withItems)
  for (const round of ['one', 'two']) {
    const heard = Promise.withResolvers<string>()
    using subscription = db.listen('again', heard.resolve)
    await subscription.whenActive
    await db.run(notify('again', round))

    assert.equal(await heard.promise, round)
  }
})

test('postgres: a notice of another process reaches listeners', async (t) => {
  const store = await createBlankStore(t, 'postgres')
  const db = await store.open(withItems)
  const heard = Promise.withResolvers<string>()
  using subscription = db.listen('hello', heard.resolve)
  await subscription.whenActive

  startScript(t, new URL('./send-notice.ts', import.meta.url), {
    place: store.place,
    notice: { channel: 'hello', payload: 'from afar' },
  })

  assert.equal(await heard.promise, 'from afar')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Semaphore } from './semaphore.ts'

/** An action that runs until the test ends it. */
function slow() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { act: () => promise, end: resolve, fail: reject }
}

test('a semaphore runs at most the allowed callers at once, and starts the next when one ends', async () => {
  const semaphore = new Semaphore({ atOnceMax: 1, waitingMax: 5 })
  const started: string[] = []
  const first = slow()
  const one = semaphore.run(() => {
    started.push('first')
    return first.act()
  })
  const two = semaphore.run(async () => {
    started.push('second')
    return 'b'
  })
  assert.deepEqual(started, ['first'])

  first.end('a')

  assert.deepEqual([await one, await two], [{ result: 'a' }, { result: 'b' }])
  assert.deepEqual(started, ['first', 'second'])
})

test('a caller is refused while too many are waiting', async () => {
  const semaphore = new Semaphore({ atOnceMax: 1, waitingMax: 1 })
  const first = slow()
  const [one, two] = [semaphore.run(first.act), semaphore.run(async () => 'b')]

  assert.equal(await semaphore.run(async () => 'c'), undefined)

  first.end('a')
  await Promise.all([one, two])
  assert.deepEqual(await semaphore.run(async () => 'd'), { result: 'd' })
})

test('a caller that fails passes its permit to the next', async () => {
  const semaphore = new Semaphore({ atOnceMax: 1, waitingMax: 1 })
  const first = slow()
  const one = semaphore.run(first.act)
  const two = semaphore.run(async () => 'b')

  first.fail(new Error('broken'))

  await assert.rejects(one, /broken/)
  assert.deepEqual(await two, { result: 'b' })
})

test('a patient caller waits although too many are waiting', async () => {
  const semaphore = new Semaphore({ atOnceMax: 1, waitingMax: 0 })
  const first = Promise.withResolvers<string>()
  const running = semaphore.run(() => first.promise)
  const refused = await semaphore.run(async () => 'refused')
  const patient = semaphore.run(async () => 'patient', { ignoresWaitingMax: true })
  first.resolve('first')
  assert.deepEqual(
    [await running, refused, await patient],
    [{ result: 'first' }, undefined, { result: 'patient' }],
  )
})

/** Runs actions by name that end only when told to, and notes the order in which they begin. */
function scene(limits: ConstructorParameters<typeof Semaphore>[0]) {
  const semaphore = new Semaphore(limits)
  const began: string[] = []
  const ends = new Map<string, () => void>()
  return {
    began,
    run(name: string, caller: Parameters<Semaphore['run']>[1] = {}) {
      const [accountId = ''] = name
      return semaphore.run(
        () => {
          began.push(name)
          const { promise, resolve } = Promise.withResolvers<void>()
          ends.set(name, resolve)
          return promise
        },
        { accountId, ...caller },
      )
    },
    async end(name: string) {
      ends.get(name)?.()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('accounts take turns, however many of one are waiting', async () => {
  const { run, end, began } = scene({ atOnceMax: 1, waitingMax: 60 })
  for (let at = 0; at <= 60; at += 1) void run(`a${at}`)
  for (const name of ['b0', 'b1', 'c0']) void run(name)

  for (const name of ['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3']) await end(name)

  assert.deepEqual(began, ['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3', 'a4'])
})

test('a permit goes to the account that holds the fewest', async () => {
  const { run, end, began } = scene({ atOnceMax: 4, waitingMax: 9 })
  for (const name of ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b0', 'b1', 'b2']) void run(name)

  for (const name of ['a0', 'a1', 'a2']) await end(name)

  // By the last one, account a holds one permit and account b holds two.
  assert.deepEqual(began.slice(4), ['b0', 'b1', 'a4'])
})

test('an account gets no more permits than one may hold, though more are free', async () => {
  const { run, end, began } = scene({ atOnceMax: 4, waitingMax: 9, accountMax: 2 })
  for (const name of ['a0', 'a1', 'a2', 'a3', 'b0']) void run(name)
  assert.deepEqual(began, ['a0', 'a1', 'b0'])

  await end('b0')
  assert.deepEqual(began.slice(3), [])
  await end('a0')

  assert.deepEqual(began.slice(3), ['a2'])
})

test('each account has its own limit of waiting callers', async () => {
  const { run, began } = scene({ atOnceMax: 1, waitingMax: 1 })
  for (const name of ['a0', 'a1']) void run(name)

  assert.equal(await run('a2'), undefined)
  void run('b0')
  assert.equal(await run('b1'), undefined)
  assert.deepEqual(began, ['a0'])
})

test('an account that holds no permit gets a spare one, and only that', async () => {
  const { run, end, began } = scene({ atOnceMax: 2, waitingMax: 9, spareMax: 1 })
  for (const name of ['a0', 'a1', 'a2', 'b0', 'b1', 'c0']) void run(name)
  assert.deepEqual(began, ['a0', 'a1', 'b0'])

  await end('b0')
  assert.deepEqual(began.slice(3), ['b1'])
  await end('a0')
  assert.deepEqual(began.slice(4), ['c0'])
  await end('c0')

  // Two are taken, so that the next one of account a has to wait for one of them.
  assert.deepEqual(began.slice(5), [])
  await end('b1')
  assert.deepEqual(began.slice(5), ['a2'])
})

test('a caller whose signal is aborted leaves the queue with the reason', async () => {
  const { run, end, began } = scene({ atOnceMax: 1, waitingMax: 1 })
  const disconnected = new AbortController()
  void run('a0')
  const left = run('a1', { signal: disconnected.signal })

  disconnected.abort(new Error('hung up'))

  await assert.rejects(left, /hung up/)
  await assert.rejects(run('a2', { signal: disconnected.signal }), /hung up/)
  void run('a3')
  await end('a0')
  assert.deepEqual(began, ['a0', 'a3'])
})

test('a signal that is aborted after the permit was granted changes nothing', async () => {
  const { run, end, began } = scene({ atOnceMax: 1, waitingMax: 9 })
  const disconnected = new AbortController()
  void run('a0')
  const running = run('a1', { signal: disconnected.signal })
  void run('a2')
  await end('a0')

  disconnected.abort(new Error('hung up'))
  await end('a1')

  assert.ok(await running)
  assert.deepEqual(began, ['a0', 'a1', 'a2'])
})

test('a spare permit may be only for an account that has waited for its turn', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const limits = { atOnceMax: 1, waitingMax: 9, spareMax: 1, spareAfterMs: 1_000 }
  const { run, end, began } = scene(limits)
  for (const name of ['a0', 'a1', 'b0', 'b1']) void run(name)

  t.mock.timers.tick(999)
  assert.deepEqual(began, ['a0'])
  t.mock.timers.tick(1)
  await end('none')
  assert.deepEqual(began, ['a0', 'b0'])

  // Each waits for the permit of its own account: the spare one is taken.
  t.mock.timers.tick(60_000)
  await end('a0')
  await end('b0')
  assert.deepEqual(began.slice(2), ['a1', 'b1'])
})

test('an account whose turn comes before its time for a spare permit takes none', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const limits = { atOnceMax: 1, waitingMax: 9, spareMax: 1, spareAfterMs: 1_000 }
  const { run, end, began } = scene(limits)
  for (const name of ['a0', 'b0', 'c0']) void run(name)

  await end('a0')
  t.mock.timers.tick(1_000)
  await end('none')

  assert.deepEqual(began, ['a0', 'b0', 'c0'])
})

test('nobody waits for a spare permit that is ready', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let isReady = false
  const limits = { atOnceMax: 1, waitingMax: 9, spareMax: 1, spareAfterMs: 60_000 }
  const { run, end, began } = scene({ ...limits, isSpareReady: () => isReady })
  for (const name of ['a0', 'a1', 'b0']) void run(name)
  await end('none')
  assert.deepEqual(began, ['a0'])

  isReady = true
  for (const name of ['c0', 'a2', 'c1']) void run(name)
  assert.deepEqual(began, ['a0', 'c0'])

  await end('c0')
  assert.deepEqual(began.slice(2), ['b0'])
})

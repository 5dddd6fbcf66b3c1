import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenMsMax, whileVisible } from './while-visible.ts'

class Tab extends EventTarget {
  visibilityState: DocumentVisibilityState = 'visible'

  become(state: DocumentVisibilityState): void {
    this.visibilityState = state
    this.dispatchEvent(new Event('visibilitychange'))
  }
}

test('a stream ends once its tab was hidden for a minute, and starts again when it is seen', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const tab = new Tab()
  const calls: string[] = []
  const end = whileVisible(tab as unknown as Document, {
    start: () => calls.push('start'),
    stop: () => calls.push('stop'),
  })

  tab.become('hidden')
  t.mock.timers.tick(hiddenMsMax - 1)
  tab.become('visible')
  t.mock.timers.tick(hiddenMsMax)
  assert.deepEqual(calls, ['start'])

  tab.become('hidden')
  t.mock.timers.tick(hiddenMsMax)
  assert.deepEqual(calls, ['start', 'stop'])

  tab.become('visible')
  assert.deepEqual(calls, ['start', 'stop', 'start'])
  end()
  assert.deepEqual(calls, ['start', 'stop', 'start', 'stop'])
})

test('nothing starts in a tab that was opened in the background', () => {
  const tab = new Tab()
  tab.visibilityState = 'hidden'
  const calls: string[] = []

  const end = whileVisible(tab as unknown as Document, {
    start: () => calls.push('start'),
    stop: () => calls.push('stop'),
  })
  end()

  assert.deepEqual(calls, [])
})

/** What pages that keep the processor busy leave to the others. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { listRenderers } from '../support/browser-processes.ts'
import { startBrowserScene } from '../support/browser-scene.ts'
import { until } from '../support/until.ts'
import { again, inWorker, script, unfinished } from './hostile/hostile-page.ts'

const scripted = { js_render: true }

test('a page with twenty endless workers gives way to all other pages until it ends', async (t) => {
  const { site, visit, html } = await startBrowserScene(t)
  site.page('/never', () => undefined)
  site.page('/greedy', unfinished(again(20, inWorker('for (;;) {}'))))
  site.page('/other', '<p>shown</p>')
  const stop = new AbortController()
  let hasEnded = false
  const greedy = visit('/greedy', scripted, { timeoutMs: 60_000, signal: stop.signal })
    .catch(() => undefined)
    .finally(() => {
      hasEnded = true
    })
  const workers = () => listThreads().filter(({ name }) => name.startsWith('DedicatedWorker'))

  await until(() => workers().length === 20 && workers().every(({ niceness }) => niceness === 19))
  const shown = await html('/other', scripted)

  assert.match(shown, /shown/)
  assert.equal(hasEnded, false)
  stop.abort(new Error('seen enough'))
  await greedy
})

test('a page that keeps its main thread busy gives way, and a page that does little does not', async (t) => {
  const { site, visit } = await startBrowserScene(t)
  site.page('/never', () => undefined)
  const stop = new AbortController()
  const open = (path: string, page: string) => {
    site.page(path, page)
    return visit(path, scripted, { timeoutMs: 60_000, signal: stop.signal }).catch(() => undefined)
  }
  const idle = open('/idle', unfinished(''))
  await until(() => mainThreads().length === 1)
  const [idlePid] = mainThreads().map(({ pid }) => pid)

  const busy = open('/busy', script('for (;;) {}'))
  await until(() => mainThreads().some(({ pid, niceness }) => pid !== idlePid && niceness === 10))

  assert.deepEqual(
    mainThreads().flatMap(({ pid, niceness }) => (pid === idlePid ? [niceness] : [])),
    [0],
  )
  stop.abort(new Error('seen enough'))
  await Promise.all([idle, busy])
})

interface Thread {
  pid: number
  thread: number
  name: string
  niceness: number
}

const listThreads = (): Thread[] => listRenderers().flatMap(threadsOf)

/** Each page has a renderer, and each renderer one of them. */
const mainThreads = (): Thread[] => listThreads().filter(({ pid, thread }) => pid === thread)

function threadsOf(pid: number): Thread[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((id) => {
      const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')
      const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(stat) ?? []
      return { pid, thread: Number(id), name, niceness: Number(rest.split(' ')[16]) }
    })
  } catch {
    return [] // it has ended meanwhile
  }
}

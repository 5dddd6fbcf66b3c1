import assert from 'node:assert/strict'
import { test } from 'node:test'
import { progressLine, startProgressBar } from './progress.ts'

const eraseLine = '\r\u001b[2K'
const counts = { total: 100, completed: 48, failed: 2, cancelled: 0 }

const screenWith = (about: { isTTY?: boolean; columns?: number; hasColors?: boolean }) => {
  const written: string[] = []
  return {
    ...about,
    hasColors: () => about.hasColors ?? false,
    write: (text: string) => written.push(text),
    written,
  }
}

test('the bar shows how many pages are completed, failed and pending', () => {
  const line = progressLine(counts, { what: 'Batch', seconds: 7, columns: 80, hasColors: false })

  const text = '50 of 100: 48 completed, 2 failed, 50 pending, 7 s'
  assert.equal(line, `Batch ${'█'.repeat(11)}${'░'.repeat(11)} ${text}`)
})

test('the bar never fills more than a line of the terminal', () => {
  for (let columns = 1; columns < 200; columns += 1) {
    const line = progressLine(counts, { what: 'Crawl', seconds: 7, columns, hasColors: false })

    assert.ok(line.length < columns || columns === 1, `${columns} columns: ${line}`)
  }
})

test('the bar of a job that has no page yet is empty', () => {
  const none = { total: 0, completed: 0, failed: 0, cancelled: 0 }
  const line = progressLine(none, { what: 'Crawl', seconds: 0, columns: 80, hasColors: false })

  assert.match(line, /^Crawl ░+ 0 of 0: 0 completed, 0 failed, 0 pending, 0 s$/)
})

test('on a terminal each state replaces the line before, and the last one is erased', () => {
  const screen = screenWith({ isTTY: true, columns: 80 })
  const bar = startProgressBar(screen, { isDumb: false })

  bar.show('Batch', { ...counts, completed: 0 })
  bar.show('Batch', counts)
  bar[Symbol.dispose]()

  const [first = '', second = '', last] = screen.written
  assert.ok(first.startsWith(`${eraseLine}Batch `) && first.includes('2 of 100: 0 completed'))
  assert.ok(second.startsWith(`${eraseLine}Batch `) && second.includes('50 of 100: 48 completed'))
  assert.equal(last, eraseLine)
})

test('colours are used only where the terminal has them and NO_COLOR is not set', () => {
  // Node answers `hasColors` by the terminal, NO_COLOR and FORCE_COLOR.
  for (const hasColors of [true, false]) {
    const screen = screenWith({ isTTY: true, columns: 80, hasColors })
    startProgressBar(screen, { isDumb: false }).show('Batch', counts)

    assert.equal(screen.written.join('').includes('\u001b[33m'), hasColors)
  }
})

test('nothing is drawn in a pipe or on a dumb terminal', () => {
  const pipe = screenWith({})
  const dumb = screenWith({ isTTY: true })
  for (const bar of [startProgressBar(pipe), startProgressBar(dumb, { isDumb: true })]) {
    bar.show('Batch', counts)
    bar.clear()
    bar[Symbol.dispose]()
  }

  assert.deepEqual([...pipe.written, ...dumb.written], [])
})

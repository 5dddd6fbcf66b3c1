import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Scenario } from './scenario.ts'

const parsed = (action: object): object | undefined =>
  Scenario.parse({ actions: [action] }).actions[0]

const faultsOf = (actions: unknown[]): [path: string, code: string][] =>
  Scenario.safeParse({ actions }).error?.issues.map((issue) => [
    issue.path.slice(1).join('.'),
    issue.code === 'custom' ? String(issue.params?.['type']) : issue.code,
  ]) ?? []

const plain = { optional: false }
const click = { ...plain, delay: 0, button: 'left', clickCount: 1 }
const waitFor = { ...plain, visible: false, hidden: false }
const list = { list_selector: '#l', items_selector: 'li', num_of_items: 5 }

const actions: [given: object, meant: object][] = [
  [
    { action: 'click', selector: '#a' },
    { action: 'click', selector: '#a', options: click },
  ],
  [
    { action: 'click', selector: '#a', options: { button: 'right', clickCount: 2, delay: '5' } },
    {
      action: 'click',
      selector: '#a',
      options: { ...click, button: 'right', clickCount: 2, delay: 5 },
    },
  ],
  [
    { action: 'click', value: 1500 },
    { action: 'wait', value: 1500, options: plain },
  ],
  [
    { action: 'click', selector: '', value: '1500' },
    { action: 'wait', value: 1500, options: plain },
  ],
  [
    { action: 'wait', value: 30_000, selector: null, options: null },
    { action: 'wait', value: 30_000, options: plain },
  ],
  [
    { action: 'waitFor', selector: '#a', options: { visible: true, timeout: 500 } },
    { action: 'waitFor', selector: '#a', options: { ...waitFor, visible: true, timeout: 500 } },
  ],
  [
    { action: 'wait_for', selector: '#a', value: 'of no use' },
    { action: 'wait_for', selector: '#a', options: waitFor },
  ],
  [
    { action: 'click_and_wait_for_navigation', selector: 'a' },
    { action: 'click_and_wait_for_navigation', selector: 'a', options: click },
  ],
  [
    { action: 'scroll_x', value: -10 },
    { action: 'scroll_x', value: -10, options: plain },
  ],
  [
    { action: 'scroll_y', value: '100', selector: '#a' },
    { action: 'scroll_y', value: 100, selector: '#a', options: plain },
  ],
  [
    { action: 'scroll_on_list_and_get_items', options: list },
    { action: 'scroll_on_list_and_get_items', options: { ...list, ...plain } },
  ],
  [
    { action: 'type', selector: '#a', value: 42, options: { delay: 20 } },
    { action: 'type', selector: '#a', value: '42', options: { ...plain, delay: 20 } },
  ],
  [
    { action: 'evaluate', value: '1 + 1', options: { optional: true } },
    { action: 'evaluate', value: '1 + 1', options: { optional: true } },
  ],
  [
    { action: 'hover', selector: '#a' },
    { action: 'hover', selector: '#a', options: plain },
  ],
  [
    { action: 'clear', selector: '#a' },
    { action: 'clear', selector: '#a', options: plain },
  ],
  [
    { action: 'fill', selector: '#a', value: '' },
    { action: 'fill', selector: '#a', value: '', options: plain },
  ],
  [
    { action: 'select', selector: '#a', value: 'x' },
    { action: 'select', selector: '#a', value: 'x', options: plain },
  ],
  [
    { action: 'press', value: 'Enter' },
    { action: 'press', value: 'Enter', options: plain },
  ],
  [
    { action: 'infinite_scroll' },
    { action: 'infinite_scroll', options: { ...plain, max_scrolls: 10, delay: 500 } },
  ],
  [{ action: 'screenshot' }, { action: 'screenshot', options: plain }],
]

for (const [given, meant] of actions) {
  test(`the action ${JSON.stringify(given)} is accepted`, () => {
    assert.deepEqual(parsed(given), meant)
  })
}

const refused: [action: unknown, path: string, fault: string][] = [
  [{ action: 'click' }, '0.selector', 'invalid_type'],
  [{ action: 'click', value: 'soon' }, '0.selector', 'invalid_type'],
  [{ action: 'wait' }, '0.value', 'invalid_type'],
  [{ action: 'wait', value: 30_001 }, '0.value', 'too_big'],
  [{ action: 'wait', value: -1 }, '0.value', 'too_small'],
  [{ action: 'wait', value: 'soon' }, '0.value', 'invalid_type'],
  [{ action: 'waitFor' }, '0.selector', 'invalid_type'],
  [{ action: 'click_and_wait_for_navigation', value: 5 }, '0.selector', 'invalid_type'],
  [{ action: 'scroll_y' }, '0.value', 'invalid_type'],
  [{ action: 'scroll_on_list_and_get_items' }, '0.options', 'invalid_type'],
  [{ action: 'type', selector: '#a' }, '0.value', 'invalid_union'],
  [{ action: 'evaluate', value: '' }, '0.value', 'too_small'],
  [{ action: 'hover', selector: 'x'.repeat(4097) }, '0.selector', 'too_big'],
  [{ action: 'fill', value: 'x' }, '0.selector', 'invalid_type'],
  [{ action: 'press' }, '0.value', 'invalid_type'],
  [
    { action: 'infinite_scroll', options: { max_scrolls: 101 } },
    '0.options.max_scrolls',
    'too_big',
  ],
  [{ action: 'screenshot', options: { optional: 'yes' } }, '0.options.optional', 'invalid_type'],
  [{ action: 'screenshot', options: { fullPage: true } }, '0.options', 'unrecognized_keys'],
  [{ action: 'hover', selector: '#a', selectr: 'b' }, '0', 'unrecognized_keys'],
  [{ action: 'dance' }, '0.action', 'invalid_union'],
  [{ selector: '#a' }, '0.action', 'invalid_union'],
  ['click', '0', 'invalid_type'],
]

for (const [action, path, fault] of refused) {
  test(`the action ${JSON.stringify(action).slice(0, 80)} is refused at ${path}: ${fault}`, () => {
    assert.deepEqual(faultsOf([action]), [[path, fault]])
  })
}

test('a scenario has at most 50 actions', () => {
  const screenshots = (count: number) =>
    Array.from({ length: count }, () => ({ action: 'screenshot' }))

  assert.deepEqual(faultsOf(screenshots(50)), [])
  assert.deepEqual(faultsOf(screenshots(51)), [['', 'too_big']])
})

test('a scenario has at most 100 KiB', () => {
  const script = (size: number) => ({ action: 'evaluate', value: ';'.repeat(size) })

  assert.deepEqual(faultsOf([script(50_000), script(52_000)]), [])
  assert.deepEqual(faultsOf([script(50_000), script(53_000)]), [['', 'too_long']])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallbackScrape } from '../../domain/scrape/scrape-request.ts'
import { type Fault, InvalidRequest } from '../errors/problem.ts'
import { partsReader } from './validate.ts'

const read = partsReader([{ part: 'body', schema: CallbackScrape, key: 'body' }])

function faultsOf(configurations: object): readonly Fault[] {
  const body = { url: 'http://a.test/', callbackUrl: 'http://b.test/', configurations }
  try {
    read({ body, params: undefined, query: undefined, headers: undefined })
    return []
  } catch (error) {
    assert.ok(error instanceof InvalidRequest)
    return error.faults
  }
}

const extra = (name: string) => `Extra inputs are not permitted; did you mean '${name}'?`
const misplaced = (name: string, parent: string) =>
  `Extra inputs are not permitted; '${name}' goes beside '${parent}', not into it`

const cases: [options: object, loc: string, type: string, msg: string][] = [
  [{ jsrender: 1 }, 'jsrender', 'extra_forbidden', extra('js_render')],
  [{ screenshot: { usee: 1 } }, 'screenshot.usee', 'extra_forbidden', extra('use')],
  [
    { screenshot: { options: { fullpage: 1 } } },
    'screenshot.options.fullpage',
    'extra_forbidden',
    extra('fullPage'),
  ],
  [
    { HTMLMinifier: { minifyCss: true } },
    'HTMLMinifier.minifyCss',
    'extra_forbidden',
    extra('minifyCSS'),
  ],
  [
    { cookies: [{ name: 'a', value: 'b', domian: 'c' }] },
    'cookies.0.domian',
    'extra_forbidden',
    extra('domain'),
  ],
  [{ js_scenario: { action: [] } }, 'js_scenario.action', 'extra_forbidden', extra('actions')],
  [
    { js_scenario: { actions: [{ action: 'hover', selector: 'a', selectr: 'b' }] } },
    'js_scenario.actions.0.selectr',
    'extra_forbidden',
    extra('selector'),
  ],
  [
    { js_scenario: { actions: [{ action: 'waitFor', selector: 'a', options: { visble: true } }] } },
    'js_scenario.actions.0.options.visble',
    'extra_forbidden',
    extra('visible'),
  ],
  [{ timeout_ms: 1 }, 'timeout_ms', 'extra_forbidden', misplaced('timeout_ms', 'configurations')],
  [
    { screenshot: { options: { use: true } } },
    'screenshot.options.use',
    'extra_forbidden',
    misplaced('use', 'options'),
  ],
  [{ zzzzzzzz: 1 }, 'zzzzzzzz', 'extra_forbidden', 'Extra inputs are not permitted'],
  [{ js_scenario: { actions: [{}] } }, 'js_scenario.actions.0.action', 'missing', 'Field required'],
  [
    { js_scenario: { actions: [{ action: 'click' }] } },
    'js_scenario.actions.0.selector',
    'missing',
    'Field required',
  ],
  [
    { js_scenario: { actions: [{ action: 'type', selector: 'a' }] } },
    'js_scenario.actions.0.value',
    'missing',
    'Field required',
  ],
  [{ js_render: 'true' }, 'js_render', 'bool_type', 'Input should be a valid boolean'],
  [
    { mode: 'spa' },
    'mode',
    'literal_error',
    "Input should be 'SPA', 'longPolling', 'domLoaded', 'documentLoaded' or 'load'",
  ],
  [
    { localStorage: { a: 'x', b: [] } },
    'localStorage.b',
    'string_type',
    'Input should be a valid string',
  ],
]

for (const [options, loc, type, msg] of cases) {
  test(`the options ${JSON.stringify(options)} get the fault ${type} at ${loc}`, () => {
    assert.deepEqual(faultsOf(options), [
      { loc: ['body', 'configurations', ...loc.split('.')], msg, type },
    ])
  })
}

test('thousands of unknown options are one fault, however many there are', () => {
  const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`z${index}`, 1]))

  for (const [options, place] of [
    [many, 'configurations'],
    [{ screenshot: many }, 'configurations.screenshot'],
  ] as const) {
    const [fault, ...others] = faultsOf(options)
    assert.equal(fault?.type, 'too_long')
    assert.match(fault?.msg ?? '', /^Dictionary should have at most \d+ items$/)
    assert.deepEqual(fault?.loc, ['body', ...place.split('.')])
    assert.deepEqual(others, [])
  }
})

test('the fault of an unknown action lists the known actions', () => {
  const [fault] = faultsOf({ js_scenario: { actions: [{ action: 'dance' }] } })

  assert.equal(fault?.type, 'literal_error')
  assert.match(fault?.msg ?? '', /^Input should be 'click', .* or 'screenshot'$/)
  assert.deepEqual(fault?.loc.slice(-3), ['actions', '0', 'action'])
})

test('the message of an invalid request has the reason of each fault, five at most', () => {
  const messageOf = (configurations: object) => new InvalidRequest(faultsOf(configurations)).message

  assert.equal(
    messageOf({ js_render: 'true' }),
    'The request is not valid: body.configurations.js_render: Input should be a valid boolean.',
  )
  assert.match(messageOf({ jsrender: true }), /; did you mean 'js_render'\?$/)
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`zzzzzzz${index}`, 1]))
  assert.match(messageOf(many), /zzzzzzz4: Extra inputs are not permitted; and 2 more\.$/)
})

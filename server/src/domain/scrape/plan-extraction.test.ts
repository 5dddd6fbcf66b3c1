import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFor } from './choose-engine.ts'
import { ExtractRequest } from './extract-request.ts'
import { planExtraction } from './plan-extraction.ts'
import { defaultScrapeOptions } from './scrape-options.ts'
import { proxyRequirementsOf } from './scrape-request.ts'
import type { WaitPlan } from './wait-plan.ts'

const url = 'https://example.com/'
const plan = (given: object = {}) =>
  planExtraction(url, ExtractRequest.parse({ url, ...given }), 'sync')

test('a request without options shares the default options, which are not stored', () => {
  assert.equal(plan().options, defaultScrapeOptions)
})

const waits: [name: string, given: object, expected: WaitPlan][] = [
  ['nothing given', {}, { mode: 'SPA', selector: undefined }],
  [
    'other configurations',
    { configurations: { debug: true } },
    { mode: 'SPA', selector: undefined },
  ],
  ['an empty mode', { configurations: { mode: '' } }, { mode: 'SPA', selector: undefined }],
  ['a mode', { configurations: { mode: 'load' } }, { mode: 'load', selector: undefined }],
  [
    'an empty configuration of the wait',
    { wait_config: {} },
    { mode: 'documentLoaded', selector: undefined, pauseMs: undefined },
  ],
  [
    'networkidle beside a mode and a selector of the configurations',
    {
      wait_config: { wait_until: 'networkidle' },
      configurations: { mode: 'load', waitForSelector: 'p' },
    },
    { mode: 'networkIdle', selector: undefined, pauseMs: undefined },
  ],
  [
    'a selector alone',
    { wait_config: { wait_for: '#a' } },
    { mode: 'domLoaded', selector: '#a', pauseMs: undefined },
  ],
  [
    'commit with a pause',
    { wait_config: { wait_until: 'commit', wait_timeout: 5 } },
    { mode: 'domLoaded', selector: undefined, pauseMs: 5 },
  ],
]

for (const [name, given, expected] of waits) {
  test(`a rendered page with ${name} is waited for in the mode ${expected.mode}`, () => {
    assert.deepEqual(plan({ render_js: true, ...given }).wait, expected)
  })
}

test('`wait_config` has no effect without JavaScript', () => {
  const { wait, options } = plan({
    wait_config: { wait_for: '#a' },
    configurations: { waitForSelector: 'p' },
  })

  assert.deepEqual(wait, { mode: 'SPA', selector: undefined })
  assert.equal(engineFor(options), 'http')
})

const engines: [name: string, given: object, engine: string, runsScripts: boolean][] = [
  ['no options', {}, 'http', false],
  ['`render_js`', { render_js: true }, 'browser', true],
  ['`js_render` in `configurations`', { configurations: { js_render: true } }, 'browser', true],
  [
    '`render_js: false` against it',
    { render_js: false, configurations: { js_render: true } },
    'http',
    false,
  ],
  ['a screenshot', { formats: ['screenshot'] }, 'browser', false],
  ['`auto`', { render_js: 'auto' }, 'http', false],
  ['`auto` and a screenshot', { render_js: 'auto', formats: ['screenshot'] }, 'browser', true],
  ['`auto` and a POST', { render_js: 'auto', method: 'POST' }, 'http', false],
]

for (const [name, given, engine, runsScripts] of engines) {
  test(`an extraction with ${name} is fetched by ${engine}, scripts ${runsScripts ? 'on' : 'off'}`, () => {
    const { options } = plan(given)

    assert.deepEqual([engineFor(options), options.js_render], [engine, runsScripts])
  })
}

test('a screenshot loads images and style sheets, unless they are blocked on purpose', () => {
  const blocked = { formats: ['screenshot'], configurations: { block_resources: true } }

  assert.equal(plan({ formats: ['screenshot'] }).options.block_resources, false)
  assert.equal(plan(blocked).options.block_resources, true)
})

test('`proxy` wins over its twins in `configurations`', () => {
  const configurations = { country_code: 'us', proxy: { useOnlyResidential: true } }
  const requirements = (given: object) => proxyRequirementsOf(plan({ configurations, ...given }))

  assert.deepEqual(requirements({}), { country: 'US', type: 'residential' })
  assert.deepEqual(requirements({ proxy: { country: 'DE' } }), {
    country: 'DE',
    type: 'residential',
  })
  assert.deepEqual(requirements({ proxy: { type: 'datacenter' } }), {
    country: null,
    type: 'datacenter',
  })
  assert.deepEqual(requirements({ proxy: { type: 'mix' } }), { country: null, type: null })
})

test('a `Cookie` header becomes cookies, and headers of the connection are dropped', () => {
  const { options, target } = plan({
    headers: { Cookie: 'a=1; b="2"; bad', Host: 'x', 'Content-Length': '1', 'X-Mine': 'yes' },
  })

  assert.deepEqual(options.cookies, [
    { name: 'a', value: '1' },
    { name: 'b', value: '"2"' },
  ])
  assert.deepEqual(target, { method: 'GET', headers: { 'x-mine': 'yes' }, body: undefined })
})

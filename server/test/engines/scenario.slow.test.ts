/** Scenarios as a whole: reports, failures, and actions without an element. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFails } from '../support/assert-fails.ts'
import { decodePng } from './decode-png.ts'
import { click, evaluate, startScenarioScene } from './scenario-scene.ts'

const short = { timeoutMs: 2_000 }
const optional = { optional: true }
const { site, visit, run, values } = await startScenarioScene()

test('a scenario', { concurrency: 2 }, async (t) => {
  await Promise.all([
    t.test('a scenario is reported step by step', async () => {
      const { scenario } = await run('<button id=a>', [click('#a'), evaluate('1 + 1')])

      const [first, second] = scenario
      assert.deepEqual({ ...first, durationMs: 0 }, { action: 'click', ok: true, durationMs: 0 })
      assert.deepEqual(
        { ...second, durationMs: 0 },
        { action: 'evaluate', ok: true, durationMs: 0, value: 2 },
      )
      assert.ok(scenario.every(({ durationMs }) => Number.isInteger(durationMs)))
    }),

    t.test('a scenario without actions has no report', async () => {
      site.page('/idle', '<p>')

      const { page } = await visit('/idle', { js_render: true, js_scenario: { actions: [] } })

      assert.equal('scenario' in page, false)
    }),

    t.test('the page is read after the scenario', async () => {
      const { body } = await run('<p id=a>before', [evaluate('a.textContent = "after"')])

      assert.match(Buffer.from(body).toString(), />after</)
    }),

    t.test('a scenario with documentLoaded runs on the DOM and returns the HTML', async () => {
      const page = await run('<p id=a>before</p>', [evaluate('a.textContent = "after"')], {
        mode: 'documentLoaded',
      })

      assert.equal(page.scenario[0]?.value, 'after')
      assert.equal(Buffer.from(page.body).toString(), '<!doctype html><p id=a>before</p>')
    }),

    t.test('a scenario runs after waitForSelector', async () => {
      const late =
        '<script>setTimeout(() => document.body.innerHTML = "<p id=a>late", 200)</script>'

      assert.deepEqual(await values(late, [evaluate('a.textContent')], { waitForSelector: '#a' }), [
        'late',
      ])
    }),

    t.test('in the mode SPA the page becomes quiet again after the scenario', async () => {
      const page = `<button id=a onclick="fetch('/scenario-data').then(() => document.title = 'there')">`
      site.page('/scenario-data', (_, response) => void setTimeout(() => response.end(), 300))

      const { body } = await run(page, [click('#a')], { mode: 'SPA' })

      assert.match(Buffer.from(body).toString(), /<title>there/)
    }),

    t.test('the action wait waits for its time', async () => {
      const { scenario } = await run('', [{ action: 'wait', value: 150 }])

      assert.ok((scenario[0]?.durationMs ?? 0) >= 149)
    }),

    t.test('the action wait ends at the deadline of the visit', async () => {
      const { message } = await assertFails(
        'ACTION_FAILED',
        run('', [{ action: 'wait', value: 30_000 }], {}, { timeoutMs: 1_500 }),
      )

      assert.equal(message, 'Action 0 (wait) failed: time was up.')
    }),

    t.test('the action screenshot fails above the limits of the browser', async () => {
      const { message } = await assertFails(
        'ACTION_FAILED',
        run('', [{ action: 'screenshot' }], {
          viewport: { width: 8000, height: 4000, deviceScaleFactor: 3 },
        }),
      )

      assert.match(message, /^Action 0 \(screenshot\) failed: The image would have 24000 × 12000/)
    }),

    t.test('the action screenshot returns a PNG of the viewport', async () => {
      const { scenario } = await run(
        '<body style="background: rgb(250, 20, 30); height: 5000px">',
        [{ action: 'screenshot' }],
        { viewport: { width: 300, height: 200 } },
      )

      const image = decodePng(Buffer.from(String(scenario[0]?.value), 'base64'))
      assert.deepEqual([image.width, image.height], [300, 200])
      assert.deepEqual(image.at(299, 199).slice(0, 3), [250, 20, 30])
    }),
  ])
})

test('waitFor', { concurrency: 2 }, async (t) => {
  const waitFor = (selector: string, options: object = {}) => ({
    action: 'waitFor',
    selector,
    options,
  })
  const after = (ms: number, script: string) =>
    `<script>setTimeout(() => { ${script} }, ${ms})</script>`

  const waits: [about: string, html: string, options: object][] = [
    ['for an element that is present', '<p id=a>', {}],
    ['for an element that is added', after(200, 'document.body.innerHTML = "<p id=a>"'), {}],
    ['for a hidden element by default', '<p id=a hidden>', {}],
    [
      'for an element that becomes visible',
      `<p id=a hidden>x${after(200, 'a.hidden = false')}`,
      { visible: true },
    ],
    ['for an element that is removed', `<p id=a>x${after(200, 'a.remove()')}`, { hidden: true }],
    [
      'for an element that becomes hidden',
      `<p id=a>x</p>${after(200, 'a.style.visibility = "hidden"')}`,
      { hidden: true },
    ],
    ['for no time for a missing element to be hidden', '', { hidden: true }],
    [
      'without a timeout when that is 0',
      after(200, 'document.body.innerHTML = "<p id=a>"'),
      { timeout: 0 },
    ],
  ]
  const failing: [about: string, html: string, options: object, problem: string][] = [
    ['that nothing matches', '', {}, 'nothing matches "#a"'],
    [
      'that is not visible',
      '<p id=a hidden>',
      { visible: true },
      'nothing is visible that matches "#a"',
    ],
    ['that has no size', '<p id=a>', { visible: true }, 'nothing is visible that matches "#a"'],
    ['that stays visible', '<p id=a>x', { hidden: true }, 'something visible still matches "#a"'],
  ]

  await Promise.all([
    ...waits.map(([about, html, options]) =>
      t.test(`waitFor waits ${about}`, async () => {
        const { scenario } = await run(html, [waitFor('#a', options)])

        assert.equal(scenario[0]?.ok, true)
      }),
    ),
    ...failing.map(([about, html, options, problem]) =>
      t.test(`waitFor fails at its timeout for an element ${about}`, async () => {
        const actions = [evaluate('1'), waitFor('#a', { ...options, timeout: 200 })]

        const { message } = await assertFails('ACTION_FAILED', run(html, actions))

        assert.equal(message, `Action 1 (waitFor) failed: ${problem}.`)
      }),
    ),
    t.test('waitFor without a timeout waits until the deadline of the visit', async () => {
      const { message } = await assertFails('ACTION_FAILED', run('', [waitFor('#a')], {}, short))

      assert.equal(message, 'Action 0 (waitFor) failed: time was up, and nothing matches "#a".')
    }),
    t.test('waitFor is also called wait_for', async () => {
      const { scenario } = await run('<p id=a>', [{ action: 'wait_for', selector: '#a' }])

      assert.equal(scenario[0]?.action, 'wait_for')
    }),
  ])
})

test('a failing action', { concurrency: 2 }, async (t) => {
  const over = '<div id=over class="veil dark" style="position: fixed; inset: 0">'

  const late: [about: string, html: string, action: object, problem: string][] = [
    ['missing', '', click('#a'), 'nothing matches "#a"'],
    ['in a frame', '<iframe srcdoc="<p id=a>x"></iframe>', click('#a'), 'nothing matches "#a"'],
    [
      'in a shadow root',
      '<div><template shadowrootmode=open><p id=a>x</template></div>',
      click('#a'),
      'nothing matches "#a"',
    ],
    [
      'covered',
      `<button id=a>x</button>${over}`,
      click('#a'),
      '"#a" is covered by <div id="over" class="veil dark">',
    ],
    [
      'without an area',
      '<button id=a hidden>x',
      click('#a'),
      '"#a" has no box: it is hidden or empty',
    ],
    ['hidden', '<button id=a style="visibility: hidden">x', click('#a'), '"#a" is hidden'],
    [
      'out of reach',
      '<button id=a style="position: fixed; left: -500px">x',
      click('#a'),
      '"#a" cannot be scrolled into view',
    ],
    ['disabled', '<button id=a disabled>x', click('#a'), '"#a" is disabled'],
    [
      'read-only',
      '<input id=a readonly>',
      { action: 'type', selector: '#a', value: 'x' },
      '"#a" is read-only',
    ],
    [
      'not editable',
      '<p id=a>x',
      { action: 'type', selector: '#a', value: 'x' },
      '"#a" does not take the focus',
    ],
    [
      'without the option',
      '<select id=a>',
      { action: 'select', selector: '#a', value: 'x' },
      '"#a" has no option "x"',
    ],
  ]
  const final: [about: string, html: string, action: object, problem: string][] = [
    ['an invalid selector', '', click('#a['), '"#a[" is not a valid CSS selector'],
    [
      'an invalid selector to wait for',
      '',
      { action: 'waitFor', selector: '??' },
      '"??" is not a valid CSS selector',
    ],
    [
      'an element that is not HTML',
      '<body><script>document.body.append(document.createElementNS("urn:x", "x"))</script>',
      { action: 'type', selector: 'x', value: 'x' },
      'the element does not support it: TypeError: element.focus is not a function',
    ],
    [
      'an unknown key',
      '',
      { action: 'press', value: 'Any key' },
      'there is no key named "Any key"',
    ],
    [
      'a key that pastes',
      '',
      { action: 'press', value: 'Control+V' },
      'there is no clipboard to paste from',
    ],
    [
      'an element that cannot be filled',
      '<p id=a>',
      { action: 'fill', selector: '#a', value: 'x' },
      '"#a" cannot be filled',
    ],
    [
      'a select element to fill',
      '<select id=a>',
      { action: 'fill', selector: '#a', value: 'x' },
      '"#a" cannot be filled; use the action select',
    ],
    [
      'an invalid date',
      '<input id=a type=date>',
      { action: 'fill', selector: '#a', value: 'x' },
      '"#a" does not accept this value',
    ],
    [
      'an element without options',
      '<p id=a>',
      { action: 'select', selector: '#a', value: 'x' },
      '"#a" is not a <select>',
    ],
  ]

  await Promise.all([
    ...late.map(([about, html, action, problem]) =>
      t.test(`an action on an element that is ${about} is retried until the deadline`, async () => {
        const { message } = await assertFails('ACTION_FAILED', run(html, [action], {}, short))

        assert.match(message, /^Action 0 \(\w+\) failed: time was up, and /)
        assert.ok(message.endsWith(`and ${problem}.`), message)
      }),
    ),
    ...final.map(([about, html, action, problem]) =>
      t.test(`an action with ${about} fails at once`, async () => {
        const { message } = await assertFails('ACTION_FAILED', run(html, [evaluate('1'), action]))

        assert.match(message, /^Action 1 \(\w+\) failed: /)
        assert.ok(message.endsWith(`failed: ${problem}.`), message)
      }),
    ),
    t.test('a failing optional action is reported, and the scenario goes on', async () => {
      const { scenario } = await run(
        '',
        [
          click('#a', optional),
          { action: 'press', value: 'Any key', options: optional },
          evaluate('1'),
        ],
        {},
        { timeoutMs: 6_000 },
      )

      assert.deepEqual(
        scenario.map(({ ok, error, value }) => [ok, error ?? value]),
        [
          [false, 'nothing matches "#a"'],
          [false, 'there is no key named "Any key"'],
          [true, 1],
        ],
      )
    }),
    t.test('an action that hangs the page is named at the deadline', async () => {
      const { message } = await assertFails(
        'ACTION_FAILED',
        run('<button id=a onclick="for (;;);">', [click('#a')], {}, short),
      )

      assert.equal(message, 'Action 0 (click) failed: time was up.')
    }),
  ])
})

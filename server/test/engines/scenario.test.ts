/** A scenario as a whole: its reports, its failures, and the actions that touch nothing. */
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
    t.test('is reported step by step', async () => {
      const { scenario } = await run('<button id=a>', [click('#a'), evaluate('1 + 1')])

      const [first, second] = scenario
      assert.deepEqual({ ...first, durationMs: 0 }, { action: 'click', ok: true, durationMs: 0 })
      assert.deepEqual(
        { ...second, durationMs: 0 },
        { action: 'evaluate', ok: true, durationMs: 0, value: 2 },
      )
      assert.ok(scenario.every(({ durationMs }) => Number.isInteger(durationMs)))
    }),

    t.test('without actions is none', async () => {
      site.page('/idle', '<p>')

      const { page } = await visit('/idle', { js_render: true, js_scenario: { actions: [] } })

      assert.equal('scenario' in page, false)
    }),

    t.test('is read after it is done', async () => {
      const { body } = await run('<p id=a>before', [evaluate('a.textContent = "after"')])

      assert.match(Buffer.from(body).toString(), />after</)
    }),

    t.test(
      'with documentLoaded runs on the parsed page and returns what was received',
      async () => {
        const page = await run('<p id=a>before</p>', [evaluate('a.textContent = "after"')], {
          mode: 'documentLoaded',
        })

        assert.equal(page.scenario[0]?.value, 'after')
        assert.equal(Buffer.from(page.body).toString(), '<!doctype html><p id=a>before</p>')
      },
    ),

    t.test('comes after waitForSelector', async () => {
      const late =
        '<script>setTimeout(() => document.body.innerHTML = "<p id=a>late", 200)</script>'

      assert.deepEqual(await values(late, [evaluate('a.textContent')], { waitForSelector: '#a' }), [
        'late',
      ])
    }),

    t.test('in a single-page application is followed by a page at rest', async () => {
      const page = `<button id=a onclick="fetch('/scenario-data').then(() => document.title = 'there')">`
      site.page('/scenario-data', (_, response) => void setTimeout(() => response.end(), 300))

      const { body } = await run(page, [click('#a')], { mode: 'SPA' })

      assert.match(Buffer.from(body).toString(), /<title>there/)
    }),

    t.test('wait lets time pass', async () => {
      const { scenario } = await run('', [{ action: 'wait', value: 150 }])

      assert.ok((scenario[0]?.durationMs ?? 0) >= 149)
    }),

    t.test('wait ends with the attempt', async () => {
      const { message } = await assertFails(
        'ACTION_FAILED',
        run('', [{ action: 'wait', value: 30_000 }], {}, { timeoutMs: 1_500 }),
      )

      assert.equal(message, 'Action 0 (wait) failed: time was up.')
    }),

    t.test('screenshot of more than a browser can draw fails', async () => {
      const { message } = await assertFails(
        'ACTION_FAILED',
        run('', [{ action: 'screenshot' }], {
          viewport: { width: 8000, height: 4000, deviceScaleFactor: 3 },
        }),
      )

      assert.match(message, /^Action 0 \(screenshot\) failed: The image would have 24000 × 12000/)
    }),

    t.test('screenshot is a PNG of what the screen shows', async () => {
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
    ['for what is there', '<p id=a>', {}],
    ['for what comes', after(200, 'document.body.innerHTML = "<p id=a>"'), {}],
    ['for what is there, hidden or not', '<p id=a hidden>', {}],
    [
      'for what becomes visible',
      `<p id=a hidden>x${after(200, 'a.hidden = false')}`,
      { visible: true },
    ],
    ['for what goes', `<p id=a>x${after(200, 'a.remove()')}`, { hidden: true }],
    [
      'for what is hidden',
      `<p id=a>x</p>${after(200, 'a.style.visibility = "hidden"')}`,
      { hidden: true },
    ],
    ['for what was never there to be hidden', '', { hidden: true }],
    [
      'with a timeout of 0, which is none',
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
    ['that does not go', '<p id=a>x', { hidden: true }, 'there still is "#a"'],
  ]

  await Promise.all([
    ...waits.map(([about, html, options]) =>
      t.test(`waits ${about}`, async () => {
        const { scenario } = await run(html, [waitFor('#a', options)])

        assert.equal(scenario[0]?.ok, true)
      }),
    ),
    ...failing.map(([about, html, options, problem]) =>
      t.test(`fails at its timeout for something ${about}`, async () => {
        const actions = [evaluate('1'), waitFor('#a', { ...options, timeout: 200 })]

        const { message } = await assertFails('ACTION_FAILED', run(html, actions))

        assert.equal(message, `Action 1 (waitFor) failed: ${problem}.`)
      }),
    ),
    t.test('without a timeout waits as long as there is time', async () => {
      const { message } = await assertFails('ACTION_FAILED', run('', [waitFor('#a')], {}, short))

      assert.equal(message, 'Action 0 (waitFor) failed: time was up, and nothing matches "#a".')
    }),
    t.test('is also called wait_for', async () => {
      const { scenario } = await run('<p id=a>', [{ action: 'wait_for', selector: '#a' }])

      assert.equal(scenario[0]?.action, 'wait_for')
    }),
  ])
})

test('a failing action', { concurrency: 2 }, async (t) => {
  const over = '<div id=over class="veil dark" style="position: fixed; inset: 0">'

  const late: [about: string, html: string, action: object, problem: string][] = [
    ['nothing matches', '', click('#a'), 'nothing matches "#a"'],
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
      'without a box',
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
      'not to be written in',
      '<p id=a>x',
      { action: 'type', selector: '#a', value: 'x' },
      '"#a" does not take the focus',
    ],
    [
      'missing an option',
      '<select id=a>',
      { action: 'select', selector: '#a', value: 'x' },
      '"#a" has no option "x"',
    ],
  ]
  const final: [about: string, html: string, action: object, problem: string][] = [
    ['no selector', '', click('#a['), '"#a[" is no CSS selector'],
    [
      'no selector to wait for',
      '',
      { action: 'waitFor', selector: '??' },
      '"??" is no CSS selector',
    ],
    [
      'nothing of HTML',
      '<body><script>document.body.append(document.createElementNS("urn:x", "x"))</script>',
      { action: 'type', selector: 'x', value: 'x' },
      'it cannot be done here: TypeError: element.focus is not a function',
    ],
    ['no key', '', { action: 'press', value: 'Any key' }, 'no key is called "Any key"'],
    ['pasting', '', { action: 'press', value: 'Control+V' }, 'there is no clipboard to paste from'],
    [
      'not to be filled',
      '<p id=a>',
      { action: 'fill', selector: '#a', value: 'x' },
      '"#a" cannot be filled',
    ],
    [
      'filled although it is a choice',
      '<select id=a>',
      { action: 'fill', selector: '#a', value: 'x' },
      '"#a" cannot be filled; select can choose',
    ],
    [
      'no date',
      '<input id=a type=date>',
      { action: 'fill', selector: '#a', value: 'x' },
      '"#a" does not take this value',
    ],
    [
      'no choice',
      '<p id=a>',
      { action: 'select', selector: '#a', value: 'x' },
      '"#a" is no <select>',
    ],
  ]

  await Promise.all([
    ...late.map(([about, html, action, problem]) =>
      t.test(`is tried as long as there is time: ${about}`, async () => {
        const { message } = await assertFails('ACTION_FAILED', run(html, [action], {}, short))

        assert.match(message, /^Action 0 \(\w+\) failed: time was up, and /)
        assert.ok(message.endsWith(`and ${problem}.`), message)
      }),
    ),
    ...final.map(([about, html, action, problem]) =>
      t.test(`ends the attempt at once: ${about}`, async () => {
        const { message } = await assertFails('ACTION_FAILED', run(html, [evaluate('1'), action]))

        assert.match(message, /^Action 1 \(\w+\) failed: /)
        assert.ok(message.endsWith(`failed: ${problem}.`), message)
      }),
    ),
    t.test('that is optional is reported, and the scenario goes on', async () => {
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
          [false, 'no key is called "Any key"'],
          [true, 1],
        ],
      )
    }),
    t.test('that hangs the page is named when time is up', async () => {
      const { message } = await assertFails(
        'ACTION_FAILED',
        run('<button id=a onclick="for (;;);">', [click('#a')], {}, short),
      )

      assert.equal(message, 'Action 0 (click) failed: time was up.')
    }),
  ])
})

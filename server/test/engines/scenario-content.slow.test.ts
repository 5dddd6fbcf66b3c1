/** Scenario actions that scroll and run scripts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFails } from '../support/assert-fails.ts'
import { click, evaluate, startScenarioScene } from './scenario-scene.ts'

const { site, run, values } = await startScenarioScene()
const short = { timeoutMs: 2_000 }
const optional = { optional: true }

test('scrolling', { concurrency: 2 }, async (t) => {
  const large = '<body style="width: 9000px; height: 9000px">'
  const box = `<div id=a style="width: 100px; height: 100px; overflow: auto">
    <p style="width: 900px; height: 900px"></div>`
  const scroll = (axis: 'x' | 'y', value: number, selector?: string) => ({
    action: `scroll_${axis}`,
    value,
    selector,
  })
  const place = evaluate('[scrollX, scrollY]')
  const placeInBox = evaluate('[a.scrollLeft, a.scrollTop]')

  const scrolls: [about: string, html: string, actions: object[], place: number[]][] = [
    ['the window across', large, [scroll('x', 300), place], [300, 0]],
    ['the window down', large, [scroll('y', 400), place], [0, 400]],
    ['by a distance, also back', large, [scroll('y', 400), scroll('y', -150), place], [0, 250]],
    [
      'at once on a page with smooth scrolling',
      `<style>html { scroll-behavior: smooth }</style>${large}`,
      [scroll('y', 400), place],
      [0, 400],
    ],
    ['an element across', box, [scroll('x', 30, '#a'), placeInBox], [30, 0]],
    ['an element down', box, [scroll('y', 40, '#a'), placeInBox], [0, 40]],
  ]

  await Promise.all([
    ...scrolls.map(([about, html, actions, expected]) =>
      t.test(`a scroll action scrolls ${about}`, async () => {
        assert.deepEqual(await values(html, actions), [expected])
      }),
    ),
    t.test('the page gets the scroll event before the next action', async () => {
      const html = `${large}<script>onscroll = () => { document.title = scrollY }</script>`

      assert.deepEqual(await values(html, [scroll('y', 70), evaluate('document.title')]), ['70'])
    }),
  ])
})

test('content that is loaded by scrolling', { concurrency: 2 }, async (t) => {
  const scrollOnList = (num_of_items: number, more: object = {}) => ({
    action: 'scroll_on_list_and_get_items',
    options: { list_selector: '#list', items_selector: 'li', num_of_items, ...more },
  })
  site.page('/slow-items', (_, response) => void setTimeout(() => response.end(), 1_500))

  /** A list of at most so many items, five at a time, whenever its end is reached. */
  const growing = (max: number, { style = '', until = '' } = {}) => `
    <ul id=list style="margin: 0; padding: 0; ${style}"></ul><div id=end style="height: 1px"></div>
    <script>
      const add = async () => {
        ${until}
        for (let one = 0; one < 5 && list.children.length < ${max}; one++) {
          const item = document.createElement('li')
          item.style.height = '400px'
          item.innerHTML = '<b>' + (list.children.length + 1) + '</b> '
          list.append(item)
        }
      }
      add()
    </script>`
  const watchingWindow =
    '<script>onscroll = () => { if (innerHeight + scrollY > document.body.offsetHeight - 5) add() }</script>'
  const watchingList =
    '<script>list.onscroll = () => { if (list.scrollTop + list.clientHeight > list.scrollHeight - 5) add() }</script>'
  const watchingEnd =
    '<script>new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting) add() }).observe(end)</script>'

  const lists: [about: string, html: string, wanted: number, got: number][] = [
    ['that are present', growing(5), 3, 3],
    ['as the window is scrolled', growing(30) + watchingWindow, 12, 12],
    [
      'as the list itself is scrolled',
      growing(30, { style: 'height: 300px; overflow: auto' }) + watchingList,
      12,
      12,
    ],
    [
      'as the end of the list comes into view',
      `${growing(30)}${watchingEnd}<div style="height: 3000px">`,
      12,
      12,
    ],
    ['until no more come', growing(8) + watchingWindow, 50, 8],
    [
      'that load slowly',
      growing(10, { until: 'await fetch("/slow-items")' }) + watchingWindow,
      10,
      10,
    ],
  ]

  await Promise.all([
    ...lists.map(([about, html, wanted, got]) =>
      t.test(`scroll_on_list_and_get_items returns items ${about}`, async () => {
        const { scenario } = await run(html, [scrollOnList(wanted)])

        const items = scenario[0]?.items ?? []
        assert.equal(items.length, got)
        assert.deepEqual(items[2], { html: '<li style="height: 400px;"><b>3</b> </li>', text: '3' })
      }),
    ),
    t.test('scroll_on_list_and_get_items fails without its list', async () => {
      const { message } = await assertFails('ACTION_FAILED', run('', [scrollOnList(1)], {}, short))

      assert.match(message, /nothing matches "#list"\.$/)
    }),
    t.test('scroll_on_list_and_get_items fails with an invalid selector', async () => {
      const action = scrollOnList(1, { items_selector: '>>' })
      const { message } = await assertFails('ACTION_FAILED', run('<ul id=list>', [action]))

      assert.match(message, /">>" is not a valid CSS selector\.$/)
    }),
    t.test('scroll_on_list_and_get_items fails with items of more than 10 MiB', async () => {
      const items = 'list.innerHTML = ("<li>" + "x".repeat(2 ** 20)).repeat(6)'
      const html = `<ul id=list hidden></ul><script>${items}</script>`
      const { message } = await assertFails('ACTION_FAILED', run(html, [scrollOnList(10)]))

      assert.match(message, /the items have more than 10485760 bytes\.$/)
    }),
    t.test('infinite_scroll scrolls for as long as the page grows', async () => {
      const actions = [
        { action: 'infinite_scroll', options: { delay: 50 } },
        evaluate('list.children.length'),
      ]

      assert.deepEqual(await values(growing(22) + watchingWindow, actions), [22])
    }),
    t.test('infinite_scroll ends after max_scrolls', async () => {
      const actions = [
        { action: 'infinite_scroll', options: { max_scrolls: 2, delay: 100 } },
        evaluate('list.children.length'),
      ]

      assert.deepEqual(await values(growing(50) + watchingWindow, actions), [15])
    }),
    t.test('infinite_scroll waits half a second by default, and for pending data', async () => {
      const html = growing(10, { until: 'await fetch("/slow-items")' }) + watchingWindow
      const actions = [
        { action: 'waitFor', selector: 'li' },
        { action: 'infinite_scroll' },
        evaluate('list.children.length'),
      ]

      assert.deepEqual(await values(html, actions), [10])
    }),
  ])
})

test('evaluate', { concurrency: 2 }, async (t) => {
  const results: [about: string, script: string, value: unknown][] = [
    ['a number', '6 * 7', 42],
    ['the last of several statements', 'var a = 1; a += 1; [a]', [2]],
    ['an object', '({ a: [1, null, "x"], b: { c: true } })', { a: [1, null, 'x'], b: { c: true } }],
    ['a date as JSON', 'new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['null for NaN', 'NaN', null],
    ['null', 'null', null],
    ['no value for undefined', 'undefined', undefined],
    ['no value for a function', '(() => 1)', undefined],
    ['the value of a promise', 'fetch("/scenario-data").then((answer) => answer.text())', 'data'],
    ['a variable of the page', 'mine', 'of the page'],
    ['a text of 1 MiB less its quotes', '"x".repeat(2 ** 20 - 2)', 'x'.repeat(2 ** 20 - 2)],
  ]
  const failing: [about: string, script: string, problem: RegExp][] = [
    ['throws', 'throw new TypeError("no")', /^the script threw TypeError: no$/],
    ['throws a value that is not an Error', 'throw "x".repeat(1e7)', /^the script threw x{1000}$/],
    [
      'returns a rejected promise',
      'Promise.reject(new Error("later"))',
      /^the script threw Error: later$/,
    ],
    ['has a syntax error', 'function (', /^the script threw SyntaxError: /],
    [
      'returns a circular object',
      'const a = {}; a.a = a',
      /^the script threw TypeError: .*circular/,
    ],
    [
      'has a value of more than 1 MiB',
      '"x".repeat(2 ** 20 - 1)',
      /more than 1048576 bytes as JSON$/,
    ],
    [
      'has a value of more than 1 MiB only as UTF-8',
      '"é".repeat(6e5)',
      /more than 1048576 bytes as JSON$/,
    ],
    ['has a value of 100 MB', '"x".repeat(1e8)', /more than 1048576 bytes as JSON$/],
    ['never finishes', 'new Promise(() => {})', /^the script did not finish$/],
    [
      'navigates first',
      'location.reload(); new Promise(() => {})',
      /^the page navigated meanwhile/,
    ],
  ]
  site.page('/scenario-data', (_, response) => void response.end('data'))
  const page = '<script>const mine = "of the page"</script>'
  const limits = { timeoutMs: 8_000 }

  await Promise.all([
    ...results.map(([about, script, expected]) =>
      t.test(`evaluate returns ${about}`, async () => {
        assert.deepEqual(await values(page, [evaluate(script)]), [expected])
      }),
    ),
    ...failing.map(([about, script, problem]) =>
      t.test(`evaluate fails when the script ${about}`, async () => {
        const { scenario } = await run(page, [evaluate(script, optional)], {}, limits)

        assert.equal(scenario[0]?.ok, false)
        assert.match(scenario[0]?.error ?? '', problem)
      }),
    ),
    t.test('evaluate works although the page forbids eval by its CSP', async () => {
      const policy = `<meta http-equiv=content-security-policy content="script-src 'none'; require-trusted-types-for 'script'">`

      assert.deepEqual(await values(policy, [evaluate('1')]), [1])
    }),
    t.test('evaluate fails when the page has replaced JSON', async () => {
      const spoilt = '<script>JSON.stringify = () => "no"</script>'
      const { message } = await assertFails('ACTION_FAILED', run(spoilt, [evaluate('1')]))

      assert.match(message, /value is not JSON: the page has replaced JSON\.stringify\.$/)
    }),
    t.test('evaluate reaches open shadow roots and same-origin frames, and no others', async () => {
      site.page('/scenario-frame', '<p id=inner>in the frame</p>')
      const parts = `<div id=host></div><iframe id=own src="/scenario-frame"></iframe>
        <iframe id=other sandbox src="/scenario-frame"></iframe><script>
          host.attachShadow({ mode: 'open' }).innerHTML = '<p id=inner>in the shadow</p>'
        </script>`
      const actions = [
        evaluate('host.shadowRoot.querySelector("#inner").textContent'),
        evaluate('own.contentDocument.querySelector("#inner").textContent'),
        evaluate('other.contentDocument'),
      ]

      assert.deepEqual(await values(parts, actions), ['in the shadow', 'in the frame', null])
    }),
    t.test('evaluate keeps its declarations for the next action', async () => {
      const actions = [
        evaluate('var one = 1; function two() { return one + 1 }'),
        evaluate('two()'),
      ]

      assert.deepEqual(await values('', actions), [undefined, 2])
    }),
    t.test('all actions together return at most 32 MiB', async () => {
      const many = Array.from({ length: 33 }, () => evaluate('"x".repeat(2 ** 20 - 2)'))
      const { message } = await assertFails('ACTION_FAILED', run('', many))

      assert.match(message, /^Action 31 .*more than 33554432 bytes\.$/)
    }),
  ])
})

test('scenarios with js_render off', { concurrency: 2 }, async (t) => {
  const off = { js_render: false }

  await Promise.all([
    t.test('without js_render, mouse, keyboard and forms work without handlers', async () => {
      site.page('/scenario-sent', '<p>sent')
      const html = `<form action=/scenario-sent><input id=a name=a oninput="b.click()">
        <input id=b name=b type=checkbox><select id=c name=c><option>1<option>2</select></form>`
      const actions = [
        { action: 'type', selector: '#a', value: 'x' },
        { action: 'select', selector: '#c', value: '2' },
        evaluate('b.checked'),
        click('#b'),
        { action: 'press', value: 'Enter', selector: '#a' },
        evaluate('location.search'),
      ]

      assert.deepEqual(await values(html, actions, off), [false, '?a=x&b=on&c=2'])
    }),
    t.test('without js_render, evaluate runs scripts and promises but no timers', async () => {
      const actions = [
        evaluate('6 * 7'),
        evaluate('fetch("/scenario-data").then((answer) => answer.text())'),
        evaluate('new Promise((resolve) => setTimeout(resolve, 1))', optional),
      ]
      const { scenario } = await run('', actions, off, { timeoutMs: 6_000 })

      assert.deepEqual(
        scenario.map(({ value, error }) => value ?? error),
        [42, 'data', 'the script did not finish'],
      )
    }),
    t.test('without js_render, scrolling, waiting and screenshots work', async () => {
      const actions = [
        { action: 'scroll_y', value: 50 },
        evaluate('scrollY'),
        { action: 'waitFor', selector: 'body', options: { visible: true } },
        { action: 'screenshot' },
        { action: 'hover', selector: 'body' },
      ]
      const { scenario } = await run('<body style="height: 5000px">x', actions, off)

      assert.ok(scenario.every(({ ok }) => ok))
      assert.equal(scenario[1]?.value, 50)
    }),
  ])
})

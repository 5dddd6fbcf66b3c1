/** Scenario actions with mouse and keyboard, as the page sees them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { click, evaluate, startScenarioScene } from './scenario-scene.ts'

const { run, values } = await startScenarioScene()

/** Writes down what happens on the page. */
const heard = (types: string, facts: string): string => `<script>
  const heard = []
  for (const type of '${types}'.split(' ')) {
    addEventListener(type, (event) => heard.push([type, ${facts}].join(' ')), true)
  }
</script>`
const told = evaluate('heard')

test('click', { concurrency: 2 }, async (t) => {
  const mouse = heard(
    'mousemove mousedown mouseup click dblclick contextmenu auxclick',
    'event.isTrusted, event.button, event.buttons, event.detail',
  )
  const clicks: [about: string, options: object, heard: string[]][] = [
    [
      'moves, presses and releases the left button once',
      {},
      ['mousemove true 0 0 0', 'mousedown true 0 1 1', 'mouseup true 0 0 1', 'click true 0 0 1'],
    ],
    [
      'with clickCount 2 is a double click',
      { clickCount: 2 },
      [
        'mousemove true 0 0 0',
        ...['mousedown true 0 1 1', 'mouseup true 0 0 1', 'click true 0 0 1'],
        ...['mousedown true 0 1 2', 'mouseup true 0 0 2', 'click true 0 0 2'],
        'dblclick true 0 0 2',
      ],
    ],
    [
      'with the right button opens the context menu',
      { button: 'right' },
      [
        'mousemove true 0 0 0',
        'mousedown true 2 2 1',
        'contextmenu true 2 2 0',
        'mouseup true 2 0 1',
        'auxclick true 2 0 1',
      ],
    ],
    [
      'with the middle button is an auxiliary click',
      { button: 'middle' },
      ['mousemove true 0 0 0', 'mousedown true 1 4 1', 'mouseup true 1 0 1', 'auxclick true 1 0 1'],
    ],
  ]
  const title = evaluate('document.title')
  const button = (style: string) =>
    `<button id=a style="${style}" onclick="document.title = event.clientX + ' ' + event.clientY">x</button>`
  const reached: [about: string, html: string, configurations: object][] = [
    ['far down the page', `<div style="height: 5000px"></div>${button('')}`, {}],
    [
      'in a list that scrolls in a page that scrolls',
      `<div style="height: 3000px"></div><div style="height: 100px; overflow: auto">
        <div style="height: 900px"></div>${button('')}</div>`,
      {},
    ],
    ['larger than the screen', button('width: 4000px; height: 4000px'), {}],
    ['rotated', button('position: absolute; top: 200px; left: 200px; rotate: 40deg'), {}],
    [
      'on a page that is too wide for its phone',
      `<div style="width: 2000px; height: 3000px"></div>${button('position: absolute; top: 2500px; left: 1700px')}`,
      { device_type: 'mobile' },
    ],
    [
      'soon uncovered',
      `${button('')}<div id=b style="position: fixed; inset: 0"></div><script>setTimeout(() => b.remove(), 300)</script>`,
      {},
    ],
    [
      'soon enabled',
      `${button('').replace('id=a', 'id=a disabled')}<script>setTimeout(() => { a.disabled = false }, 300)</script>`,
      {},
    ],
    [
      'moving into its place',
      `${button('position: absolute; left: 0; transition: left 400ms')}<script>requestAnimationFrame(() => { a.offsetLeft; a.style.left = '600px' })</script>`,
      {},
    ],
  ]

  await Promise.all([
    ...clicks.map(([about, options, expected]) =>
      t.test(`a click ${about}`, async () => {
        assert.deepEqual(await values(`${mouse}<button id=a>x`, [click('#a', options), told]), [
          expected,
        ])
      }),
    ),
    ...reached.map(([about, html, configurations]) =>
      t.test(`a click reaches an element that is ${about}`, async () => {
        const [shown] = await values(html, [click('#a'), title], configurations)

        assert.match(String(shown), /^\d+ \d+$/)
      }),
    ),
    t.test('a click reaches an element under a fixed bar', async () => {
      const html = `<div style="position: fixed; inset: 0 0 auto; height: 300px; background: red"></div>
        <div style="height: 1000px"></div>${button('')}<div style="height: 3000px">`
      const scroll = { action: 'scroll_y', value: 900 }

      assert.match(String((await values(html, [scroll, click('#a'), title]))[0]), /^\d+ \d+$/)
    }),
    t.test('a click hits the middle of the element', async () => {
      const html = button('position: absolute; left: 100px; top: 200px; width: 50px; height: 30px')

      assert.deepEqual(await values(html, [click('#a'), title]), ['125 215'])
    }),
    t.test('a click holds the button down for its delay', async () => {
      const times = `<button id=a>x</button><script>
        let pressedAt
        a.onmousedown = (event) => { pressedAt = event.timeStamp }
        a.onmouseup = (event) => { document.title = event.timeStamp - pressedAt }
      </script>`

      const [heldMs] = await values(times, [click('#a', { delay: 200 }), title])

      assert.ok(Number(heldMs) >= 195, String(heldMs))
    }),
    t.test('a click uses the first matching element', async () => {
      const html = '<b onclick="document.title += 1">x</b><b onclick="document.title += 2">x</b>'

      assert.deepEqual(await values(html, [click('b'), title]), ['1'])
    }),
    t.test('a click on a label reaches its control', async () => {
      const html = `<label style="position: relative">x<input id=a type=checkbox>
        <span style="position: absolute; inset: 0; background: white"></span></label>`

      assert.deepEqual(await values(html, [click('#a'), evaluate('a.checked')]), [true])
    }),
    t.test('a click is not blocked by a dialog', async () => {
      const html = '<button id=a onclick="alert(1); document.title = confirm(2)">x'

      assert.deepEqual(await values(html, [click('#a'), title]), ['false'])
    }),
    t.test('a click closes a popup that an earlier click opened', async () => {
      const html = `<select id=s><option>1<option>2</select><input id=f type=file>
        <button id=a style="position: absolute; top: 300px" onclick="document.title = 'hit'">x`

      assert.deepEqual(await values(html, [click('#s'), click('#f'), click('#a'), title]), ['hit'])
    }),
    t.test('hover moves the mouse there and presses nothing', async () => {
      const html = `<style>#menu { display: none } #a:hover + #menu { display: block }</style>
        ${mouse}<p id=a>x</p><p id=menu>y</p>`
      const hover = { action: 'hover', selector: '#a' }

      const found = await values(html, [hover, evaluate('menu.offsetHeight > 0'), told])

      assert.deepEqual(found, [true, ['mousemove true 0 0 0']])
    }),
  ])
})

test('the keyboard', { concurrency: 2 }, async (t) => {
  const type = (value: string, options: object = {}) => ({
    action: 'type',
    selector: '#a',
    value,
    options,
  })
  const press = (value: string, selector?: string) => ({ action: 'press', value, selector })
  const keys = heard(
    'keydown keypress keyup',
    'event.key, event.code, event.keyCode, event.shiftKey',
  )

  const typed: [about: string, html: string, value: string, shown: string][] = [
    ['into a field', '<input id=a>', 'Hello, World! (1+2) "x"', 'Hello, World! (1+2) "x"'],
    ['after the existing text', '<input id=a value=abc>', 'def', 'abcdef'],
    ['after the existing digits of a number', '<input id=a type=number value=12>', '34', '1234'],
    ['characters without a key', '<input id=a>', 'né 漢字 👍🏽', 'né 漢字 👍🏽'],
    ['several lines', '<textarea id=a></textarea>', 'a\nb\r\nc', 'a\nb\nc'],
    ['into an editable element', '<div id=a contenteditable>x</div>', 'yz', 'xyz'],
  ]
  const filled: [about: string, html: string, value: string, shown: string][] = [
    ['an empty field', '<input id=a>', 'x', 'x'],
    ['a field in place of its text', '<input id=a value=before>', 'after', 'after'],
    ['several lines', '<textarea id=a>before</textarea>', 'a\nb', 'a\nb'],
    ['an editable element', '<div id=a contenteditable>before</div>', 'after', 'after'],
    ['a number', '<input id=a type=number value=1>', '42', '42'],
    ['a date', '<input id=a type=date>', '2026-02-28', '2026-02-28'],
    ['a colour', '<input id=a type=color>', '#FF8000', '#ff8000'],
    ['a field with an empty text', '<input id=a value=before>', '', ''],
  ]
  const shown = evaluate('a.value ?? a.innerText')

  await Promise.all([
    ...typed.map(([about, html, value, expected]) =>
      t.test(`the action type types ${about}`, async () => {
        assert.deepEqual(await values(html, [type(value), shown]), [expected])
      }),
    ),
    ...filled.map(([about, html, value, expected]) =>
      t.test(`the action fill fills ${about} and fires input events`, async () => {
        const listening = `<script>document.addEventListener('input', () => { document.title += '!' })</script>`
        const fill = { action: 'fill', selector: '#a', value }

        const actions = [fill, shown, evaluate('document.title')]
        const [text, title] = await values(`${html}${listening}`, actions)

        assert.equal(text, expected)
        assert.match(String(title), /^!+$/)
      }),
    ),
    t.test('the action type sends key events for each character', async () => {
      assert.deepEqual(await values(`${keys}<input id=a>`, [type('aB?'), told]), [
        [
          ...['keydown a KeyA 65 false', 'keypress a KeyA 97 false', 'keyup a KeyA 65 false'],
          ...['keydown B KeyB 66 true', 'keypress B KeyB 66 true', 'keyup B KeyB 66 true'],
          ...['keydown ? Slash 191 true', 'keypress ? Slash 63 true', 'keyup ? Slash 191 true'],
        ],
      ])
    }),
    t.test('the action type continues at the caret', async () => {
      const actions = [type('ad'), press('ArrowLeft'), type('bc'), shown]

      assert.deepEqual(await values('<input id=a>', actions), ['abcd'])
    }),
    t.test('the action type waits for its delay between two keys', async () => {
      const { scenario } = await run('<input id=a>', [type('abcd', { delay: 60 })])

      assert.ok((scenario[0]?.durationMs ?? 0) >= 180)
    }),
    t.test('the action clear empties a field', async () => {
      const clear = { action: 'clear', selector: '#a' }

      assert.deepEqual(await values('<input id=a value=before>', [clear, shown]), [''])
    }),
    t.test('the action press presses a key in the focused element', async () => {
      const html = '<form onsubmit="document.title = a.value; return false"><input id=a></form>'

      assert.deepEqual(
        await values(html, [type('x'), press('Enter'), evaluate('document.title')]),
        ['x'],
      )
    }),
    t.test('the action press presses a key in the given element', async () => {
      const html = '<input id=a><input id=b onkeydown="document.title = event.key">'

      assert.deepEqual(await values(html, [press('F2', '#b'), evaluate('document.title')]), ['F2'])
    }),
    t.test('the action press holds modifiers down', async () => {
      const actions = [press('Control+A'), press('Backspace'), shown]

      assert.deepEqual(await values('<input id=a>', [type('abc'), ...actions]), [''])
      assert.deepEqual(await values(`${keys}<input id=a>`, [press('Shift+Tab'), told]), [
        [
          'keydown Shift ShiftLeft 16 true',
          'keydown Tab Tab 9 true',
          'keyup Tab Tab 9 true',
          'keyup Shift ShiftLeft 16 false',
        ],
      ])
    }),
  ])
})

test('select', { concurrency: 2 }, async (t) => {
  const select = (value: string) => ({ action: 'select', selector: '#a', value })
  const options = '<option value=1>One<option value=2>Two'
  const listening = `<script>
    for (const type of ['input', 'change']) a.addEventListener(type, () => { document.title += type })
  </script>`
  const chosen = evaluate('[...a.selectedOptions].map(({ value }) => value)')

  const cases: [about: string, html: string, value: string, chosen: string[]][] = [
    ['by its value', `<select id=a>${options}</select>`, '2', ['2']],
    ['by its label', `<select id=a>${options}</select>`, 'Two', ['2']],
    [
      'instead of the selected ones',
      `<select id=a multiple>${options.replaceAll('<option', '<option selected')}</select>`,
      '1',
      ['1'],
    ],
    [
      'that is added later',
      '<select id=a></select><script>setTimeout(() => a.add(new Option("x")), 200)</script>',
      'x',
      ['x'],
    ],
  ]

  await Promise.all(
    cases.map(([about, html, value, expected]) =>
      t.test(`the action select chooses an option ${about} and fires events`, async () => {
        const actions = [select(value), chosen, evaluate('document.title')]

        assert.deepEqual(await values(`${html}${listening}`, actions), [expected, 'inputchange'])
      }),
    ),
  )
})

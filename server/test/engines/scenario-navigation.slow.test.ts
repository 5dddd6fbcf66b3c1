/** Scenario actions that navigate. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFails } from '../support/assert-fails.ts'
import { findFreePort } from '../support/free-port.ts'
import { startPageSite } from '../support/page-site.ts'
import { click, evaluate, startScenarioScene, wholeFile } from './scenario-scene.ts'

const { site, run, values } = await startScenarioScene()
const other = await startPageSite(wholeFile)

const follow = (selector: string, options: object = {}) => ({
  action: 'click_and_wait_for_navigation',
  selector,
  options,
})
const link = (to: string, more = '') => `<a id=a href="${to}" ${more}>x</a>`
const path = evaluate('location.pathname + location.hash')

site.page('/next', '<!doctype html><title>next</title><p id=next>next</p>')
site.page('/slow-next', (_, response) => {
  setTimeout(() => response.setHeader('content-type', 'text/html').end('<p id=a>slow'), 500)
})
site.page('/slow-load', '<p id=a>there</p><script src="/slow.js"></script>')
site.page('/slow.js', (_, response) => void setTimeout(() => response.end('loaded = 1'), 500))
site.page('/moved', (_, response) => void response.writeHead(302, { location: '/next' }).end())
site.page('/nothing', (_, response) => void response.writeHead(204).end())
site.page('/download', (_, response) => {
  response.writeHead(200, {
    'content-type': 'application/zip',
    'content-disposition': 'attachment',
  })
  response.end('zip')
})

test('click_and_wait_for_navigation', { concurrency: 2 }, async (t) => {
  const arrivals: [about: string, html: string, path: string][] = [
    ['a link', link('/next'), '/next'],
    ['a redirect', link('/moved'), '/next'],
    ['a form', '<form action=/next><button id=a>x</form>', '/next'],
    ['a script', '<button id=a onclick="location = \'/next\'">x', '/next'],
    [
      'a script that navigates later',
      '<button id=a onclick="setTimeout(() => { location = \'/next\' }, 300)">x',
      '/next',
    ],
    [
      'a change of the URL by pushState',
      '<button id=a onclick="history.pushState(0, 0, \'/pushed\')">x',
      '/pushed',
    ],
    ['a fragment of the same page', link('/next#top').replace('/next', ''), '#top'],
  ]
  const failing: [about: string, html: string, problem: string][] = [
    [
      'a response without a page',
      link('/nothing'),
      'the click led to something that is not a page',
    ],
    ['a download', link('/download'), 'the click led to something that is not a page'],
    [
      'a mailto link',
      link('mailto:somebody@example.com'),
      'the click led to something that is not a page',
    ],
    [
      'another window',
      link('/next', 'target=_blank'),
      'the click opened another window, and those are not followed',
    ],
  ]

  await Promise.all([
    ...arrivals.map(([about, html, expected]) =>
      t.test(`click_and_wait_for_navigation follows ${about}`, async () => {
        const [arrived] = await values(html, [follow('#a'), path])

        assert.ok(String(arrived).endsWith(expected), String(arrived))
      }),
    ),
    ...failing.map(([about, html, problem]) =>
      t.test(`click_and_wait_for_navigation fails with ${about}`, async () => {
        const { message } = await assertFails('ACTION_FAILED', run(html, [follow('#a')]))

        assert.equal(message, `Action 0 (click_and_wait_for_navigation) failed: ${problem}.`)
      }),
    ),
    t.test('click_and_wait_for_navigation waits until the next page has loaded', async () => {
      const actions = [follow('#a'), evaluate('loaded')]

      assert.deepEqual(await values(link('/slow-load'), actions), [1])
    }),
    t.test('click_and_wait_for_navigation fails without a navigation', async () => {
      const { message } = await assertFails(
        'ACTION_FAILED',
        run('<button id=a>x', [follow('#a')], {}, { timeoutMs: 2_000 }),
      )

      assert.match(message, /failed: time was up, and no navigation was completed\.$/)
    }),
    t.test('click_and_wait_for_navigation ignores navigations before the click', async () => {
      site.page('/still', '<button id=a>x')
      const html = `<script>setTimeout(() => { location = '/still' }, 300)</script>`

      const { message } = await assertFails(
        'ACTION_FAILED',
        run(html, [follow('#a')], {}, { timeoutMs: 3_000 }),
      )

      assert.match(message, /no navigation was completed\.$/)
    }),
    t.test('an optional click_and_wait_for_navigation does not wait for long', async () => {
      const actions = [follow('#a', { optional: true }), path]
      const { scenario } = await run('<button id=a>x', actions, {}, { timeoutMs: 4_000 })

      assert.deepEqual(
        scenario.map(({ ok }) => ok),
        [false, true],
      )
    }),
    t.test('click_and_wait_for_navigation has the options of click', async () => {
      const html = `<button id=a ondblclick="location = '/next'">x`

      assert.deepEqual(await values(html, [follow('#a', { clickCount: 2 }), path]), ['/next'])
    }),
  ])
})

test('a click that navigates', { concurrency: 2 }, async (t) => {
  await Promise.all([
    t.test('the action after a click that navigates runs on the new page', async () => {
      const actions = [click('#a'), evaluate('a.textContent')]

      // Several, since the browser and the page race each other to report the click.
      const rounds = Array.from({ length: 12 }, () => values(link('/slow-next'), actions))

      assert.deepEqual(await Promise.all(rounds), Array(12).fill(['slow']))
    }),
    t.test('the next action waits for the new page if both have its element', async () => {
      const actions = [
        click('#a'),
        { action: 'waitFor', selector: '#a' },
        evaluate('a.textContent'),
      ]

      assert.deepEqual(await values(link('/slow-next'), actions), ['slow'])
    }),
    t.test('the page that a click navigates to is returned', async () => {
      const page = await run(link('/slow-load'), [click('#a')], { waitForSelector: '[href]' })

      assert.equal(new URL(page.url).pathname, '/slow-load')
      assert.match(Buffer.from(page.body).toString(), /there/)
    }),
    t.test('a scenario can navigate and go back', async () => {
      const actions = [follow('#a'), evaluate('history.back()'), path]
      const [, before] = await values(link('/next'), actions)

      assert.match(String(before), /^\/scenario-/)
    }),
    t.test('a click on a link that is not a page leaves the page as it is', async () => {
      for (const to of ['/nothing', '/download', 'mailto:somebody@example.com']) {
        const page = await run(link(to), [click('#a'), evaluate('a.href')])

        assert.equal(page.statusCode, 200)
        assert.match(page.url, /\/scenario-\d+$/)
      }
    }),
    t.test('a click that leads to an unreachable host fails with TARGET_UNREACHABLE', async () => {
      const actions = [follow('#a', { optional: true })]
      const nobody = `http://127.0.0.1:${await findFreePort()}/`

      await assertFails('TARGET_UNREACHABLE', run(link(nobody), actions))
    }),
    t.test('every action may navigate without reaching the redirect limit', async () => {
      site.page('/round', link('/round-about'))
      site.page('/round-about', (_, response) => {
        response.writeHead(302, { location: '/round' }).end()
      })
      const rounds = Array.from({ length: 14 }, () => follow('#a'))

      const { scenario } = await run(link('/round'), rounds)

      assert.equal(scenario.length, 14)
    }),
    t.test('a page that navigates by itself reaches the limit in a scenario', async () => {
      site.page('/restless', '<script>location.reload()</script>')

      await assertFails('TOO_MANY_REDIRECTS', run(link('/restless'), [follow('#a')]))
    }),
    t.test("after a click to another origin, that origin is the page's own", async () => {
      other.page(
        '/elsewhere',
        `<script src="/own.js"></script><script src="${site.url('/left.js')}"></script>`,
      )
      other.page('/own.js', (_, response) => void response.end('own = 1'))
      site.page('/left.js', (_, response) => void response.end('left = 1'))
      const loaded = evaluate('[location.origin, typeof own, typeof left]')

      assert.deepEqual(await values(link(other.url('/elsewhere')), [follow('#a'), loaded]), [
        [other.origin, 'number', 'undefined'],
      ])
      assert.deepEqual(
        await values(link(other.url('/elsewhere')), [follow('#a'), loaded], {
          optimizations: { loadOnlySameOriginRequests: false },
        }),
        [[other.origin, 'number', 'number']],
      )
    }),
  ])
})

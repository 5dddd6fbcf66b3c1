/** The playground as a person uses it, most of it by keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboardScene } from '../support/dashboard-scene.ts'
import { startPageSite } from '../support/page-site.ts'
import { seriousFaults } from '../support/serious-faults.ts'
import { startTestReceiver } from '../support/test-receiver.ts'

const secret = 'hunter2'

test('the playground', async (t) => {
  const site = await startPageSite(t)
  site.page('/', '<title>Fish</title><h1>Fish</h1><a href="/cod">Cod</a>')
  site.page('/cod', '<title>Cod</title><h1>Cod</h1>')
  site.page('/slow', () => undefined)
  site.page(
    '/app',
    '<title>App</title><h1>Loading</h1><script>document.querySelector("h1").textContent = "Caught " + 40;console.log("cast the net")</script>',
  )
  const receiver = await startTestReceiver(t)
  const scene = await openDashboardScene(t, { refusals: ['422 /v1/extract'] })
  const { page, url, operator, asked, complaints, find, click, type, shows, hides } = scene
  const { keyboard } = page
  const nameOfFocus = async () =>
    String(
      await page.evaluate(
        'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
      ),
    )
  const tabTo = async (name: string) => {
    for (let steps = 0; steps < 80; steps++) {
      if ((await nameOfFocus()) === name) return
      await keyboard.press('Tab')
    }
    assert.fail(`The Tab key does not lead to ${name}.`)
  }
  const replaceBy = async (text: string) => {
    await keyboard.down('Control')
    await keyboard.press('a')
    await keyboard.up('Control')
    await keyboard.type(text)
  }
  const open = async (address: string) => {
    await page.goto('about:blank')
    await page.goto(`${url}/app/playground${address}`)
    await find('textbox', 'url')
  }
  const enteredIn = async (role: string, name: string) =>
    String(await (await (await find(role, name)).getProperty('value')).jsonValue())

  await t.test('the address of the page has the focus, and Enter runs a scrape', async () => {
    await page.goto(`${url}/app/playground`)
    await scene.signIn()
    await find('textbox', 'url')
    assert.equal(await nameOfFocus(), 'url')

    await keyboard.type(site.url('/'))
    await keyboard.press('Enter')

    await find('tab', 'Preview')
    await shows('Engine\nHTTP')
    await page.waitForFrame((frame) => frame.url().includes('/preview?format=html'))
    await find('link', 'Open the task')
  })

  await t.test('the tabs show the content as text, by the arrow keys', async () => {
    await (await find('tab', 'Preview')).focus()
    await keyboard.press('ArrowRight')
    await keyboard.press('Enter')
    await shows('# Fish')
    await click('tab', 'HTML')
    await shows('<h1>Fish</h1>')
    await click('tab', 'Headers')
    await shows('text/html; charset=utf-8')
    await click('tab', 'Requests')
    await find('figure', 'Page network')
  })

  await t.test(
    'an option is found by its name; with a browser the page runs its scripts',
    async () => {
      await (await find('textbox', 'url')).focus()
      await replaceBy(site.url('/app'))
      await tabTo('Find an option')
      await keyboard.type('render_js')
      await tabTo('render_js')
      await keyboard.type('true')
      await shows('render_js: true')
      await keyboard.down('Control')
      await keyboard.press('Enter')
      await keyboard.up('Control')

      await shows('Engine\nBrowser')
      await click('tab', 'Markdown')
      await shows('# Caught 40')
      await click('tab', 'Console')
      await shows('cast the net')
    },
  )

  await t.test('what differs from the default is counted, marked and reset', async () => {
    await shows('3 options differ from the default')
    await click('button', 'Reset render_js')
    await shows('2 options differ from the default')
    await (await find('searchbox', 'Find an option')).focus()
    await replaceBy(' ')
    await click('button', 'Reset all')
    await shows('Every option has its default.')
  })

  await t.test('a fault is said at its field, by the form or by the service', async () => {
    await (await find('textbox', 'url')).focus()
    await replaceBy('ftp://example.com')
    await keyboard.press('Enter')
    await shows('Input should be an absolute http or https URL')
    assert.equal(await nameOfFocus(), 'url')

    await replaceBy(site.url('/'))
    await hides('Input should be an absolute http or https URL\n')
    await type('textbox', 'headers', '{')
    await click('button', 'Run')
    await shows('This is JSON')
    await click('button', 'Reset headers')
  })

  await t.test('Escape cancels a run', async () => {
    await (await find('textbox', 'url')).focus()
    await replaceBy(site.url('/slow'))
    await keyboard.press('Enter')
    await find('button', 'Cancel')
    await keyboard.press('Escape')
    await shows('Cancelled.')
  })

  await t.test('a link fills the form of others, without secrets, and runs nothing', async () => {
    await (await find('textbox', 'url')).focus()
    await replaceBy(site.url('/cod').replace('//', `//user:${secret}@`))
    await type('textbox', 'headers', `{"authorization": "${secret}"}`)
    await (await find('combobox', 'method')).select('DELETE')
    await click('button', 'Copy link')
    await shows('Left out: the user and password in url, headers.')
    const link = await enteredIn('textbox', 'Link')
    assert.ok(link.startsWith(`${url}/app/playground#extract=`))
    assert.ok(!link.includes(secret))
    await page.waitForFunction(`location.href === ${JSON.stringify(link)}`)
    const requestsBefore = site.asked.length

    await open(new URL(link).hash)

    assert.equal(await enteredIn('textbox', 'url'), site.url('/cod'))
    assert.equal(await enteredIn('combobox', 'method'), 'DELETE')
    assert.equal(await enteredIn('textbox', 'headers'), '')
    assert.equal(site.asked.length, requestsBefore)
    assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0)
  })

  await t.test('a curl command fills the form, and the code is the same request', async () => {
    await click('button', 'Import curl')
    const command = `curl '${url}/v1/extract' -d '{"url": "${site.url('/cod')}", "max_age": 5000}'`
    await type('textbox', 'curl command', command)
    await click('button', 'Import')
    await page.waitForSelector('[role="dialog"]', { hidden: true })
    assert.equal(await enteredIn('textbox', 'max_age'), '5000')
    await shows(`'{"url":"${site.url('/cod')}","max_age":5000}'`)
    await click('tab', 'Python')
    await find('button', 'Copy: The request in Python')
  })

  await t.test('an address that is cut off is said, and the form works', async () => {
    await open('#extract=%7B%22url')
    await shows('The request in this address cannot be read. It is cut off or changed.')
  })

  await t.test('a task is opened in the playground with its request', async () => {
    const { headers } = await scene.call('POST /v1/extract', {
      url: site.url('/cod'),
      formats: ['text'],
      headers: { authorization: secret },
      only_main_content: true,
    })
    await open(`?task=${headers['x-job-id']}`)
    await shows('Not taken over: headers.')
    await shows('only_main_content: true')
    assert.equal(await enteredIn('textbox', 'url'), site.url('/cod'))
  })

  await t.test('realtime, map, batch, crawl and callback are run and followed', async () => {
    const choose = async (operation: string) =>
      (await find('combobox', 'Operation')).select(operation)
    await choose('realtime')
    await click('button', 'Run')
    await shows('Engine\nHTTP')

    await choose('map')
    await (await find('textbox', 'url')).focus()
    await replaceBy(site.url('/'))
    await keyboard.press('Enter')
    await find('table', 'Links of the site')
    await shows(site.url('/cod'))

    await choose('batch')
    await (await find('textbox', 'urls')).type(`\n${site.url('/cod')}\n`)
    await click('button', 'Run')
    await shows('The job is completed: 2 completed, 0 failed, 0 to go.')

    await choose('crawl')
    await (await find('textbox', 'url')).focus()
    await replaceBy(site.url('/'))
    await keyboard.press('Enter')
    await shows('The crawl has started')
    await shows('The job is completed: 2 completed, 0 failed, 0 to go.')

    await choose('callback')
    await type('textbox', 'callbackUrl', `${receiver.url}/hook`)
    await click('button', 'Run')
    await find('button', 'Copy: Receive callbacks')
    await find('tab', 'Deliveries')
  })

  await t.test('nothing secret was in an address, and the console had nothing to say', () => {
    assert.ok(!asked.some((one) => one.includes(secret) || one.includes(operator.password)))
    // Of a preview with a script in it, which is as it should be.
    const blocked = /^Blocked script execution in '[^']+\/preview\?format=html'/
    assert.deepEqual(
      complaints.filter((one) => !blocked.test(one)),
      [],
    )
  })

  // Last, as axe writes to the frames of previews, which do not listen.
  await t.test('it works on a phone, and axe finds nothing serious in either theme', async () => {
    await page.setViewport({ width: 360, height: 740 })
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
    assert.ok(width <= 360, `${width} px wide`)
    await page.setViewport({ width: 1440, height: 900 })
    for (const theme of ['light', 'dark']) {
      await (await find('combobox', 'Theme')).select(theme)
      assert.deepEqual(await seriousFaults(page), [], theme)
    }
  })
})

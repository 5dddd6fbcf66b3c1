/** Who is signed in, where links and other tabs of the browser have a say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboardScene } from '../support/dashboard-scene.ts'

test('sessions of the dashboard', async (t) => {
  const scene = await openDashboardScene(t)
  const { page, url, operator, service, find, click, shows, hides, signIn } = scene
  const other = await service.createAccount()
  const signIns: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url() === `${url}/v1/session`) {
      signIns.push(request.postData() ?? '')
    }
  })

  await t.test('a link that finds a session does not sign in after the sign-out', async () => {
    await page.goto(url)
    await signIn()
    const link = await service.createSignInLink(other.username)
    // A fragment alone would not load the page again.
    await page.goto('about:blank')
    await page.goto(link.url)
    await shows(operator.username)
    signIns.length = 0

    await click('link', 'Tasks')
    await page.evaluate("history.replaceState(null, '', '?host=first.example')")
    await click('button', 'Sign out')
    await signIn()

    assert.deepEqual(
      signIns.map((body) => Object.keys(JSON.parse(body))),
      [['username', 'password']],
    )
    assert.equal(page.url(), `${url}/app/tasks`)
  })

  await t.test('a tab follows when another one signs in as another account', async () => {
    await page.goto(`${url}/app/tasks`)
    await find('navigation', 'Main')
    await shows(operator.username)
    const tab = await page.browserContext().newPage()
    await tab.goto(`${url}/app/tasks`)
    await tab.locator('::-p-aria([name="Sign out"][role="button"])').click()
    for (const [name, text] of Object.entries({
      'Account name': other.username,
      Password: other.password,
    })) {
      await tab.locator(`::-p-aria([name="${name}"][role="textbox"])`).fill(text)
    }
    await tab.locator('::-p-aria([name="Sign in"][role="button"])').click()
    await tab.locator('::-p-aria([name="Main"][role="navigation"])').wait()

    await page.bringToFront()
    await shows(other.username)
    await hides(operator.username)
  })
})

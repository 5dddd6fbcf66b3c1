/** All tasks share the browser's clipboard: no task may paste what another has copied. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { installedBrowser, startBrowserScene } from '../support/browser-scene.ts'
import { browserWithArgument } from '../support/browser-with-argument.ts'
import { click, evaluate } from './scenario-scene.ts'

test('the middle mouse button pastes nothing that another task has copied', async (t) => {
  assert.deepEqual(await copyAndPaste(t), { copied: 'secret', pasted: '' })
})

test('the middle mouse button would paste it without our Blink setting', async (t) => {
  const program = (await installedBrowser()).browser()
  assert(program)
  const path = await browserWithArgument(
    t,
    program.path,
    '--blink-settings=middleClickPasteAllowed=true',
  )

  const seen = await copyAndPaste(t, { browser: () => ({ ...program, path }) })

  assert.deepEqual(seen, { copied: 'secret', pasted: 'secret' })
})

/** One task copies, another pastes. */
async function copyAndPaste(t: TestContext, parts = {}) {
  const { site, visit } = await startBrowserScene(t, { parts })
  site.page('/copy', '<input id=a value=secret oncopy="document.title = getSelection()">')
  site.page('/paste', '<input id=a>')
  const doThere = async (path: string, actions: object[]) => {
    const { page } = await visit(path, { js_render: true, js_scenario: { actions } })
    return page.scenario?.at(-1)?.value
  }
  const press = (value: string) => ({ action: 'press', value })

  const copied = await doThere('/copy', [
    click('#a'),
    press('Control+A'),
    press('Control+C'),
    evaluate('document.title'),
  ])
  const pasted = await doThere('/paste', [
    click('#a', { button: 'middle' }),
    { action: 'wait', value: 300 }, // nothing tells of what is never pasted
    evaluate('a.value'),
  ])
  return { copied, pasted }
}

import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { proveBrowser } from '../../src/engines/browser/prove-browser.ts'
import { startBrowserPresence } from '../../src/engines/install/browser-presence.ts'
import { BadBrowserPath } from '../../src/engines/install/find-browser.ts'
import { createLog } from '../../src/runtime/log.ts'

const log = createLog({ level: 'silent', isPretty: false })
const settings = { flavor: 'shell', install: 'never', sandbox: 'require' } as const
const isRoot = process.getuid?.() === 0

test('the browser that `npm test` installed renders a page with its sandbox on', async (t) => {
  const dataDir = await createDataDir(t)
  const path = process.env['TRAWL_BROWSER_PATH']
  await using presence = startBrowserPresence({ settings: { ...settings, path }, dataDir, log })

  const present = await presence.whenSettled
  assert.ok(present.state === 'ready' && present.path && present.flavor, present.reason)
  const proof = await proveBrowser(
    { ...present, path: present.path, flavor: present.flavor },
    { sandbox: 'require', isRoot },
  )

  assert.deepEqual(proof, { ok: true, sandbox: 'on', detail: 'A page was rendered.' })
  assert.deepEqual(await readdir(dataDir), [])
})

test('a browser path that is no program refuses the start', async (t) => {
  const dataDir = await createDataDir(t)

  assert.throws(
    () => startBrowserPresence({ settings: { ...settings, path: '/x/chrome' }, dataDir, log }),
    new BadBrowserPath('TRAWL_BROWSER_PATH=/x/chrome does not exist or is not executable.'),
  )
})

test('a browser path that names another program is fatal, and the reason is reported', async (t) => {
  const dataDir = await createDataDir(t)
  await using presence = startBrowserPresence({
    settings: { ...settings, path: '/bin/false' },
    dataDir,
    log,
  })

  const present = await presence.whenSettled

  assert.equal(present.state, 'absent')
  assert.equal(present.isFatal, true)
  assert.match(present.reason ?? '', /^TRAWL_BROWSER_PATH=\/bin\/false: Found false but/)
})

async function createDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trawl-presence-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

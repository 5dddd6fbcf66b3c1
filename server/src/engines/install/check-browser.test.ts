import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkBrowser, isForOtherCpu } from './check-browser.ts'
import { BadBrowserPath, findBrowser } from './find-browser.ts'

const stub = `echo >&2
echo "Command '/usr/bin/chromium-browser' requires the chromium snap to be installed." >&2
echo "Please install it with:" >&2
exit 10`

for (const { name, script, outcome, reason } of [
  { name: 'chromium', script: 'echo Chromium 156.0.8078.79 built on Debian', outcome: 'works' },
  { name: 'chrome', script: 'echo noise >&2; echo Google Chrome 120.0.6099.71', outcome: 'works' },
  {
    name: 'chromium-browser',
    script: stub,
    outcome: 'rejected',
    reason:
      'Found chromium-browser but "--version" failed: requires the chromium snap to be installed. Skipped.',
  },
  {
    name: 'chromium',
    script: 'echo Chromium 119.0.6045.199',
    outcome: 'rejected',
    reason: 'Found chromium 119.0.6045.199 but 120 or newer is needed. Skipped.',
  },
  {
    name: 'chromium',
    script: 'exit 3',
    outcome: 'rejected',
    reason: /^Found chromium but "--version" failed: .+\. Skipped\.$/,
  },
]) {
  const lastLine = script.split('\n').at(-1)
  const verdict = outcome === 'works' ? 'is accepted' : 'is rejected'
  test(`a program ${name} whose script ends with "${lastLine}" ${verdict}`, async (t) => {
    const path = await writeProgram(t, name, script)

    const check = await checkBrowser({ path, flavor: 'chrome', origin: 'PATH' }, 'linux')

    assert.equal(check.outcome, outcome)
    if (check.outcome === 'rejected' && typeof reason === 'string') {
      assert.equal(check.reason, reason)
    } else if (check.outcome === 'rejected') assert.match(check.reason, reason as RegExp)
  })
}

test('a browser whose libraries are missing is rejected with their names', async (t) => {
  const loaderError = 'chrome: error while loading shared libraries: libgbm.so.1: cannot open'
  const path = await writeProgram(t, 'chromium', `echo '${loaderError}' >&2; exit 127`)

  const check = await checkBrowser({ path, flavor: 'chrome', origin: 'PATH' }, 'linux')

  assert.deepEqual(check, {
    outcome: 'rejected',
    reason: 'Chromium is installed but lacks: libgbm.so.1. On Debian: sudo apt install libgbm1',
  })
})

test('a program for another processor is recognised by its ELF header', () => {
  const header = (machine: number) =>
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, machine, 0])

  assert.equal(isForOtherCpu(header(183), 'x64'), true)
  assert.equal(isForOtherCpu(header(62), 'x64'), false)
  assert.equal(isForOtherCpu(Buffer.from('#!/bin/sh and more than twenty bytes'), 'x64'), false)
})

test('the search continues after a rejected browser and returns the reason', async (t) => {
  const broken = await writeProgram(t, 'chromium-headless-shell', 'echo broken >&2; exit 1')
  const good = await writeProgram(t, 'chromium', 'echo Chromium 156.0.8078.79')

  const found = await findBrowser({
    settings: { flavor: 'shell' },
    platform: 'aix', // no known places
    pathFolders: [join(broken, '..'), join(good, '..')],
  })

  assert.equal(found.browser?.path, good)
  assert.equal(found.browser?.major, 156)
  assert.deepEqual(found.rejections, [
    'Found chromium-headless-shell but "--version" failed: broken. Skipped.',
  ])
})

test('a path from the settings that is not executable is an error, without a fallback', async () => {
  const search = findBrowser({
    settings: { flavor: 'shell', path: '/x/chrome', pathOrigin: 'CHROME_PATH' },
    platform: 'linux',
    pathFolders: ['/usr/bin'],
  })

  await assert.rejects(
    search,
    new BadBrowserPath('CHROME_PATH=/x/chrome does not exist or is not executable.'),
  )
})

test('a path from the settings whose program fails is an error, without a fallback', async (t) => {
  const path = await writeProgram(t, 'chromium', 'echo broken >&2; exit 1')

  const search = findBrowser({
    settings: { flavor: 'shell', path },
    platform: 'linux',
    pathFolders: [],
  })

  await assert.rejects(
    search,
    new BadBrowserPath(
      `TRAWL_BROWSER_PATH=${path}: Found chromium but "--version" failed: broken. Skipped.`,
    ),
  )
})

async function writeProgram(t: TestContext, name: string, script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trawl-check-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

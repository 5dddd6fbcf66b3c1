/** A machine without a sandbox, played by a program that refuses to start as Chromium would. */
import assert from 'node:assert/strict'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import type { BrowserSettings } from '../../src/engines/install/browser-candidates.ts'
import { assertFails } from '../support/assert-fails.ts'
import { installedBrowser, startBrowserScene } from '../support/browser-scene.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const isAskedFor = (sandbox: BrowserSettings['sandbox'], isRoot: boolean) =>
  sandbox === 'off' || (sandbox === 'auto' && isRoot)

for (const sandbox of ['auto', 'require', 'off'] as const) {
  const isRoot = process.getuid?.() === 0
  const isGivenUp = isAskedFor(sandbox, isRoot)
  test(`without a usable sandbox, the setting ${sandbox} ${isGivenUp ? 'starts without it and warns' : 'starts no browser'}`, async (t) => {
    const { scene, warnings } = await startSceneWithoutSandbox(t, sandbox)

    if (!isGivenUp) {
      const failure = await assertFails('BROWSER_CRASHED', scene.html('/'))
      assert.match(String(failure.cause), /no usable sandbox.*TRAWL_BROWSER_SANDBOX=off/)
      assert.equal(scene.engine.sandbox(), null)
      return
    }
    assert.match(await scene.html('/'), /shown/)
    assert.match(await scene.html('/'), /shown/)
    assert.equal(scene.engine.sandbox(), 'off')
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /Chromium runs without its sandbox/)
  })
}

async function startSceneWithoutSandbox(t: TestContext, sandbox: BrowserSettings['sandbox']) {
  const installed = (await installedBrowser()).browser()
  assert(installed)
  const folder = await scratchFolder(t)
  await chmod(folder, 0o755)
  const path = join(folder, 'chromium-headless-shell')
  await writeFile(
    path,
    `#!/bin/sh\ncase "$*" in *--no-sandbox*) exec ${installed.path} "$@";; esac\necho "No usable sandbox!" >&2\nexit 1\n`,
  )
  await chmod(path, 0o755)
  const warnings: string[] = []
  const write = (line: string) => void warnings.push(JSON.parse(line).msg)
  const log = pino({ level: 'warn' }, { write })
  const scene = await startBrowserScene(t, {
    parts: { browser: () => ({ ...installed, path }), sandbox, log },
  })
  scene.site.page('/', '<p>shown</p>')
  return { scene, warnings }
}

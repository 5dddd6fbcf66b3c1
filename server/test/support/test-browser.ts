import type { TestContext } from 'node:test'
import { launch, type Page } from 'puppeteer-core'
import { loadConfig } from '../../src/config.ts'
import { ensureBrowser } from '../../src/engines/install/ensure-browser.ts'

/** A page in a real browser, to look at what we serve as a person would; closed with the test. */
export async function openTestPage(t: TestContext): Promise<Page> {
  const { config } = loadConfig({})
  const { path, libraryPath, reason } = await ensureBrowser(
    {
      settings: { ...config.browser, install: 'never' },
      dataDir: config.store.dataDir,
      pathFolders: config.environment.pathFolders,
      isWaitedFor: true,
    },
    () => undefined,
  )
  if (!path) throw new Error(`This test needs a browser: ${reason}`)
  const browser = await launch({
    executablePath: path,
    // Our own pages only; root cannot have the sandbox without another user.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    ...(libraryPath && { env: { ...process.env, LD_LIBRARY_PATH: libraryPath } }),
  })
  t.after(() => browser.close())
  return await browser.newPage()
}

import type { TestContext } from 'node:test'
import { type Browser, launch, type Page } from 'puppeteer-core'
import { loadConfig } from '../../src/config.ts'
import { ensureBrowser } from '../../src/engines/install/ensure-browser.ts'

/** Opens a page in a real browser, to see what we serve as a user does; it closes with the test. */
export async function openTestPage(t: TestContext): Promise<Page> {
  const browser = await launchTestBrowser()
  t.after(() => browser.close())
  return await browser.newPage()
}

export async function launchTestBrowser(flags: readonly string[] = []): Promise<Browser> {
  const { path, libraryPath } = await requireBrowser()
  // Only our own pages are opened; root cannot use the sandbox without another user.
  const unsandboxed = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return await launch({
    executablePath: path,
    args: [...unsandboxed, ...flags],
    ...(libraryPath && { env: { ...process.env, LD_LIBRARY_PATH: libraryPath } }),
  })
}

/** The path of the browser that tests use. */
export const findTestBrowser = async (): Promise<string> => (await requireBrowser()).path

async function requireBrowser() {
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
  return { path, libraryPath }
}

import type { TestContext } from 'node:test'
import { type Browser, launch, type Page } from 'puppeteer-core'
import type { BrowserFlavor } from '../../src/engines/install/browser-candidates.ts'
import { installedBrowser } from './browser-scene.ts'

/** Opens a page in a real browser, to see what we serve as a user does; it closes with the test. */
export async function openTestPage(t: TestContext): Promise<Page> {
  const browser = await launchTestBrowser()
  t.after(() => browser.close())
  return await browser.newPage()
}

export async function launchTestBrowser(
  flags: readonly string[] = [],
  flavor?: BrowserFlavor,
): Promise<Browser> {
  const { browser } = await installedBrowser(flavor)
  const { path, libraryPath } = browser() ?? {}
  // Only our own pages are opened; root cannot use the sandbox without another user.
  const unsandboxed = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return await launch({
    executablePath: path ?? '',
    args: [...unsandboxed, ...flags],
    ...(libraryPath && { env: { ...process.env, LD_LIBRARY_PATH: libraryPath } }),
  })
}

/** The path of the browser that tests use. */
export async function findTestBrowser(): Promise<string> {
  const { browser } = await installedBrowser()
  return browser()?.path ?? ''
}

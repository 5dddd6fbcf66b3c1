/** The baseline: puppeteer in a simple loop, without API, store, egress guard or sandbox. */
import { type Browser, launch } from 'puppeteer-core'
import { loadConfig } from '../src/config.ts'
import { ensureBrowser } from '../src/engines/install/ensure-browser.ts'
import { rateOf } from './burst.ts'

interface Question {
  url: string
  together: number
  warmUpMs: number
  ms: number
}

let launched: Promise<Browser> | undefined

process.on('message', async (question: Question) => {
  launched ??= launchBrowser()
  const browser = await launched
  const perSecond = await rateOf(question, async () => {
    const context = await browser.createBrowserContext()
    const page = await context.newPage()
    await page.goto(question.url, { waitUntil: 'load' })
    const html = await page.content()
    if (!html.includes('</html>')) throw new Error('Not rendered.')
    await context.close()
  })
  process.send?.({ perSecond })
})
process.on('SIGTERM', async () => {
  await (await launched)?.close()
  process.exit(0)
})

async function launchBrowser(): Promise<Browser> {
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
  if (!path) throw new Error(`There is no browser: ${reason}`)
  return await launch({
    executablePath: path,
    args: ['--no-sandbox'],
    pipe: true,
    ...(libraryPath && { env: { ...process.env, LD_LIBRARY_PATH: libraryPath } }),
  })
}

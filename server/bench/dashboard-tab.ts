import { readFileSync } from 'node:fs'
import type { Page } from 'puppeteer-core'
import { launchTestBrowser } from '../test/support/test-browser.ts'
import { fillTaskList } from './full-task-list.ts'
import {
  apiKey,
  makeFolder,
  runProgram,
  startProgram,
  stopProgram,
  trawlEnvironment,
} from './program.ts'
import { type ReplayingGateway, startReplayingGateway } from './replaying-gateway.ts'

export interface DashboardTab {
  page: Page
  url: string
  gateway: ReplayingGateway
}

const inPage = readFileSync(new URL('time-to-paint.js', import.meta.url), 'utf8')

/** A service with 100 000 tasks, and a signed-in tab of a real browser. */
export async function openDashboardTab(resources: AsyncDisposableStack): Promise<DashboardTab> {
  await runProgram(['../../scripts/launch.mjs', 'dashboard/build.ts'], buildEnvironment())
  const gateway = resources.use(await startReplayingGateway())
  const environment = {
    ...trawlEnvironment(await makeFolder(resources)),
    TRAWL_DASHBOARD: 'built',
    TRAWL_PUBLIC_URL: gateway.url,
  }
  await fillTaskList(environment)
  const service = await startProgram(['../src/cli.ts', 'serve'], environment)
  resources.adopt(service, stopProgram)
  gateway.leadTo(service.url)
  // An animated scroll would be measured instead of what we do.
  const browser = await launchTestBrowser(['--disable-smooth-scrolling'])
  resources.defer(() => browser.close())
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 800 })
  await page.evaluateOnNewDocument(inPage)
  await page.goto(`${gateway.url}/app/tasks`)
  await (await page.waitForSelector('::-p-aria([name="API key"][role="tab"])'))?.click()
  await (await page.waitForSelector('::-p-aria([name="API key"][role="textbox"])'))?.type(apiKey)
  await (await page.waitForSelector('::-p-aria([name="Sign in"][role="button"])'))?.click()
  await page.waitForSelector('nav')
  return { page, url: gateway.url, gateway }
}

/** Packages may have to be installed before. */
const buildEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && /^(?:HOME|npm_.*|(?:https?|no)_proxy)$/i.test(entry[0]),
    ),
  )

/** The installer as a program of its own, so that it can outlive the service that started it. */
import { findBrowser } from './find-browser.ts'
import type { BrowserInstallOrder } from './install-browser.ts'
import { installWithApt } from './install-with-apt.ts'
import { runShown } from './run-command.ts'
import { searchThisMachine } from './search-machine.ts'
import { unpackBrowser } from './unpack-browser.ts'

const order: BrowserInstallOrder = JSON.parse(process.argv[2] ?? '')
const { plan, dataDir, flavor, pathFolders } = order

// We may have waited for the lock while another start did the work.
const { browser } = await findBrowser(
  searchThisMachine({ settings: { flavor }, dataDir, pathFolders }),
)
if (browser) process.stdout.write(`${browser.path} is there already\n`)
else if (plan.way === 'apt') await installWithApt(plan.packages, runShown)
else await unpackBrowser({ ...plan, dataDir }, runShown)

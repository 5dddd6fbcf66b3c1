/** The installer runs as a program of its own, so that it can outlive the service that started it. */
import { findBrowser } from './find-browser.ts'
import type { BrowserInstallOrder } from './install-browser.ts'
import { installWithApt } from './install-with-apt.ts'
import { runLogged } from './run-command.ts'
import { searchThisMachine } from './search-machine.ts'
import { unpackBrowser } from './unpack-browser.ts'

const order: BrowserInstallOrder = JSON.parse(process.argv[2] ?? '')
const { plan, dataDir, settings, pathFolders } = order

// Another process may have installed the browser while this one waited for the lock.
const { browser } = await findBrowser(searchThisMachine({ settings, dataDir, pathFolders }))
if (browser) process.stdout.write(`${browser.path} is already installed\n`)
else if (plan.method === 'apt') await installWithApt(plan.packages, runLogged)
else await unpackBrowser({ ...plan, dataDir }, runLogged)

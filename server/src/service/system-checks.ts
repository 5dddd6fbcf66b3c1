/** The checks of `trawl doctor` that a running service can make at any time. */
import type { BrowserFacts, BrowserState } from '../domain/service/health.ts'
import {
  broken,
  type CheckVerdict,
  checkMachine,
  checkPages,
  type NamedCheck,
  nameChecks,
  ok,
  warning,
} from '../runtime/machine/machine-checks.ts'
import type { Database } from '../storage/database.ts'
import type { System } from '../wire/operator/responses.ts'

interface CheckedParts {
  roles: System['roles']
  dataDir: string
  db: Database
  browser: BrowserFacts
}

/** Starts no program and reaches nothing but the store. */
export function runSystemChecks({
  roles,
  dataDir,
  db,
  browser,
}: CheckedParts): Promise<NamedCheck[]> {
  const { node, disk, clock } = checkMachine({ dataDir, nowMs: Date.now() })
  // Another process has the browser, on a machine of its own.
  const hasPages = roles.includes('worker') && !browser.isElsewhere
  return nameChecks({
    node,
    store: checkStore(db),
    browser: checkBrowser(browser),
    ...(hasPages && { sandbox: checkSandbox(browser), ...checkPages() }),
    disk,
    clock,
  })
}

const checkStore = (db: Database): Promise<CheckVerdict> =>
  db.ping().then(
    () => ok(`${db.kind} answers`),
    () => broken(`${db.kind} does not answer`, 'See the log; check the disk or the server.'),
  )

function checkBrowser({ state, version, isElsewhere }: BrowserFacts): CheckVerdict {
  if (isElsewhere) return ok('another process has one')
  return state === 'ready' ? ok(`Chromium ${version ?? ''}`.trim()) : browserTroubles[state]
}

const browserTroubles: Record<Exclude<BrowserState, 'ready'>, CheckVerdict> = {
  absent: warning(
    'No Chromium was found; plain HTTP scraping works.',
    'Run "npx trawl browser install".',
  ),
  installing: warning('Chromium is being installed.', 'Wait a minute.'),
  broken: broken('Chromium does not start.', 'Run "npx trawl doctor" on the machine.'),
}

function checkSandbox({ sandbox }: BrowserFacts): CheckVerdict {
  if (sandbox === null) return ok('not known before the first page')
  if (sandbox === 'on') return ok('on')
  return warning('off', 'Run as an ordinary user, or allow user namespaces.')
}

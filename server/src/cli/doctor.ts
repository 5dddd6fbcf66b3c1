import { printable, terminalWidth, wrapWords } from '../../../cli/src/index.ts'
import { proveBrowser } from '../engines/browser/prove-browser.ts'
import type { BrowserSettings } from '../engines/install/browser-candidates.ts'
import type { FoundBrowser } from '../engines/install/check-browser.ts'
import { BadBrowserPath, findBrowser } from '../engines/install/find-browser.ts'
import { planBrowserInstall } from '../engines/install/plan-browser-install.ts'
import { describeThisMachine, searchThisMachine } from '../engines/install/search-machine.ts'
import {
  broken,
  type CheckVerdict,
  checkDns,
  checkMachine,
  checkNpm,
  checkPages,
  nameChecks,
  ok,
  warning,
} from '../runtime/machine/machine-checks.ts'

export interface DoctorFacts {
  browser: BrowserSettings
  dataDir: string
  pathFolders?: readonly string[]
  dnsServers?: readonly string[]
  /** A name that every working DNS server resolves. */
  dnsName?: string
  nowMs: number
  /** Both return a description of what works, or throw an error that says what does not. */
  tryStore: () => Promise<string>
  tryPort: () => Promise<string>
}

export type DoctorReport = Awaited<ReturnType<typeof runDoctor>>

/** Checks everything the service needs. A warning alone does not make it unhealthy. */
export async function runDoctor(facts: DoctorFacts) {
  const browser = checkBrowser(facts)
  const { node, disk, clock } = checkMachine(facts)
  const checks = await nameChecks({
    node,
    npm: checkNpm(),
    store: attempt(facts.tryStore, 'Fix the data folder or TRAWL_DATABASE_URL.'),
    port: attempt(facts.tryPort, 'Try: npm start -- --port 8081'),
    browser: browser.then(({ verdict }) => verdict),
    sandbox: browser.then(({ found }) => checkSandbox(found, facts.browser)),
    ...checkPages(),
    dns: checkDns(facts.dnsName ?? 'example.com', facts.dnsServers ?? []),
    disk,
    clock,
  })
  return { isHealthy: checks.every(({ status }) => status !== 'broken'), checks }
}

const marks: Record<CheckVerdict['status'], string> = {
  ok: 'ok     ',
  warning: 'warning',
  broken: 'BROKEN ',
}

const indent = ' '.repeat(24)
const textWidthMin = 20

/** Formats the report for people; `--json` prints the report itself. */
export function formatDoctorReport(
  { checks, isHealthy }: DoctorReport,
  width: number | undefined = terminalWidth(),
): string {
  const room = Math.max((width ?? Infinity) - indent.length, textWidthMin)
  const lines = checks.flatMap(({ name, status, detail, fix }) => {
    const words = [...wrapWords(detail, room), ...(fix ? wrapWords(`Fix: ${fix}`, room) : [])]
    const head = `${marks[status]}  ${name.padEnd(14)} `
    return words.map((line, index) => (index === 0 ? head : indent) + printable(line))
  })
  return [...lines, '', isHealthy ? 'Ready to run.' : 'Something is broken, see above.'].join('\n')
}

async function attempt(action: () => Promise<string>, fix: string): Promise<CheckVerdict> {
  try {
    return ok(await action())
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error), fix)
  }
}

async function checkBrowser({
  browser: settings,
  dataDir,
  pathFolders,
}: DoctorFacts): Promise<{ found?: FoundBrowser; verdict: CheckVerdict }> {
  try {
    const { browser, rejections } = await findBrowser(
      searchThisMachine({ settings, dataDir, pathFolders }),
    )
    if (browser) {
      return { found: browser, verdict: ok(`${browser.path} ${browser.version}`) }
    }
    const plan = planBrowserInstall(describeThisMachine(), settings.flavor)
    const detail = ['No Chromium was found; plain HTTP scraping works.', ...rejections].join(' ')
    const fix = plan.method === 'none' ? plan.advice : 'Run "npx trawl browser install".'
    return { verdict: warning(detail, fix) }
  } catch (error) {
    if (!(error instanceof BadBrowserPath)) throw error
    return { verdict: broken(error.message, 'Correct the path, or leave it out.') }
  }
}

async function checkSandbox(
  browser: FoundBrowser | undefined,
  { sandbox }: BrowserSettings,
): Promise<CheckVerdict> {
  if (!browser) return warning('not checked: there is no browser', 'Install a browser first.')
  const isRoot = process.getuid?.() === 0
  const proof = await proveBrowser(browser, { sandbox, isRoot })
  if (!proof.ok) return broken(proof.detail, 'Chromium must start; see the text above.')
  if (proof.sandbox === 'on') return ok(`on. ${proof.detail}`)
  return warning(`off. ${proof.detail}`, 'Run as an ordinary user, or allow user namespaces.')
}

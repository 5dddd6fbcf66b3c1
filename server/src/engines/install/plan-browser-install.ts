import type { BrowserFlavor } from './browser-candidates.ts'

/** What the choice of an install method depends on. */
export interface Machine {
  platform: NodeJS.Platform
  /** `ID`, `ID_LIKE` and `VERSION_ID` of os-release. */
  osRelease: { id: string; idLike: readonly string[]; versionId: string }
  isRoot: boolean
  hasApt: boolean
}

export type BrowserInstallPlan =
  | { method: 'apt' | 'unpack'; packages: string[]; browserPackage: string }
  | { method: 'none'; advice: string }

const oldestDebian = 12
const fontPackages = ['fonts-liberation', 'fonts-noto-color-emoji']
/** The files beside the program: unpacked, it needs its own, even if the machine has the package. */
const commonPackage = 'chromium-common'
const packageOf: Record<BrowserFlavor, string> = {
  shell: 'chromium-headless-shell',
  chrome: 'chromium',
}
const chromeDownload = 'https://www.google.com/chrome/'

/** Chooses how to install a browser, or advises the operator where Trawl cannot install one. */
export function planBrowserInstall(machine: Machine, flavor: BrowserFlavor): BrowserInstallPlan {
  const debian = isSuitableDebian(machine)
  if (!debian || !machine.hasApt) return { method: 'none', advice: adviceFor(machine) }
  const browserPackage = packageOf[flavor]
  const packages = [browserPackage, ...fontPackages]
  return machine.isRoot
    ? { method: 'apt', packages, browserPackage }
    : { method: 'unpack', packages: [commonPackage, ...packages], browserPackage }
}

function isSuitableDebian({ platform, osRelease }: Machine): boolean {
  const { id, idLike, versionId } = osRelease
  if (platform !== 'linux' || isUbuntu(osRelease)) return false
  if (id === 'debian') return versionId === '' || Number(versionId) >= oldestDebian // testing has no version
  return idLike.includes('debian')
}

// Ubuntu's chromium package is only a stub for the snap.
const isUbuntu = ({ id, idLike }: Machine['osRelease']): boolean =>
  id === 'ubuntu' || idLike.includes('ubuntu')

const adviceByPlatform: Partial<Record<NodeJS.Platform, string>> = {
  darwin: `Install Google Chrome (${chromeDownload} or "brew install --cask google-chrome").`,
  win32: `Install Google Chrome (${chromeDownload} or "winget install Google.Chrome").`,
}

const adviceByDistribution: Record<string, string> = {
  ubuntu: `Ubuntu's chromium package is only a snap stub. Install Google Chrome (${chromeDownload}).`,
  debian: 'Run "sudo apt install chromium".',
  fedora: 'Run "sudo dnf install chromium-headless".',
  rhel: 'Run "sudo dnf install chromium-headless" (from EPEL).',
  alpine: 'Run "apk add chromium".',
  arch: 'Run "sudo pacman -S chromium".',
  suse: 'Run "sudo zypper install chromium".',
}

function adviceFor({ platform, osRelease }: Machine): string {
  const distributions = isUbuntu(osRelease) ? ['ubuntu'] : [osRelease.id, ...osRelease.idLike]
  const advice =
    adviceByPlatform[platform] ??
    distributions.map((distribution) => adviceByDistribution[distribution]).find(Boolean) ??
    `Install Chromium or Google Chrome (${chromeDownload}).`
  return `${advice} Or set TRAWL_BROWSER_PATH.`
}

/** Reads the three fields that matter from the text of /etc/os-release. */
export function parseOsRelease(text: string): Machine['osRelease'] {
  const read = (key: string): string =>
    new RegExp(`^${key}=["']?([^"'\\n]*)`, 'm').exec(text)?.[1] ?? ''
  return {
    id: read('ID'),
    idLike: read('ID_LIKE').split(' ').filter(Boolean),
    versionId: read('VERSION_ID'),
  }
}

import { posix, win32 } from 'node:path'

export type BrowserFlavor = 'shell' | 'chrome'

export interface BrowserSettings {
  path?: string | undefined
  /** The environment variable that `path` came from, for the error message when it is wrong. */
  pathOrigin?: string | undefined
  flavor: BrowserFlavor
  install: 'auto' | 'never' | 'force'
  sandbox: 'auto' | 'require' | 'off'
}

export interface WantedBrowser extends Pick<BrowserSettings, 'path' | 'pathOrigin' | 'flavor'> {
  /** Otherwise a browser of the other flavor is good enough. */
  isFlavorRequired?: boolean | undefined
}

/** Where to search. The caller gives all of it, so that tests can check the order on any machine. */
export interface BrowserSearch {
  settings: WantedBrowser
  platform: NodeJS.Platform
  /** The folders of PATH, in order. */
  pathFolders: readonly string[]
  /** The browser that an earlier installation unpacked; with `settings.path`, only if that names it. */
  unpacked?: BrowserCandidate | undefined
}

/** A browser's program and what it needs to run. */
export interface LaunchableBrowser {
  path: string
  flavor: BrowserFlavor
  /** Folders for the dynamic loader, joined by colons. */
  libraryPath?: string
  fontConfig?: string
}

/** A file that may be a browser. */
export interface BrowserCandidate extends LaunchableBrowser {
  origin: 'setting' | 'data folder' | 'PATH' | 'known place'
}

const namesByFlavor = {
  shell: ['chromium-headless-shell', 'chrome-headless-shell'],
  chrome: [
    'chromium',
    'google-chrome-stable',
    'google-chrome',
    'chromium-browser',
    'microsoft-edge-stable',
  ],
} satisfies Record<BrowserFlavor, string[]>

const knownPlaces: Partial<Record<NodeJS.Platform, string[]>> = {
  // A snap comes last: it is confined and cannot use our profile folder.
  linux: ['/opt/google/chrome/chrome', '/snap/bin/chromium'],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
}

/** Every path to check, best first. A path from the settings is the only one: no silent fallback. */
export function listBrowserCandidates(search: BrowserSearch): BrowserCandidate[] {
  const { settings, platform, pathFolders, unpacked } = search
  if (settings.path) {
    const { path } = settings
    return [{ flavor: flavorOf(path), ...unpacked, path, origin: 'setting' }]
  }

  const { join } = platform === 'win32' ? win32 : posix
  const suffix = platform === 'win32' ? '.exe' : ''
  const onPath = (flavor: BrowserFlavor): BrowserCandidate[] =>
    namesByFlavor[flavor].flatMap((name) =>
      pathFolders.map((folder) => ({ path: join(folder, name + suffix), flavor, origin: 'PATH' })),
    )
  const inKnownPlaces = (knownPlaces[platform] ?? []).map(
    (path): BrowserCandidate => ({ path, flavor: 'chrome', origin: 'known place' }),
  )

  const shells = onPath('shell')
  const browsers = [...onPath('chrome'), ...inKnownPlaces]
  const inOrder = [...(unpacked ? [unpacked] : []), ...shells, ...browsers]
  const isWanted = ({ flavor }: BrowserCandidate) => flavor === settings.flavor
  if (settings.isFlavorRequired) return inOrder.filter(isWanted)
  return settings.flavor === 'shell'
    ? inOrder
    : [...inOrder.filter(isWanted), ...inOrder.filter((one) => !isWanted(one))]
}

export const flavorOf = (path: string): BrowserFlavor =>
  path.includes('headless-shell') || path.includes('headless_shell') ? 'shell' : 'chrome'

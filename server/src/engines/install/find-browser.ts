import { accessSync, constants } from 'node:fs'
import {
  type BrowserSearch,
  type BrowserSettings,
  listBrowserCandidates,
} from './browser-candidates.ts'
import { checkBrowser } from './check-browser.ts'

/** The settings name a browser that cannot be used. The command line exits with code 78. */
export class BadBrowserPath extends Error {
  override name = 'BadBrowserPath'
}

export type BrowserFinding = Awaited<ReturnType<typeof findBrowser>>

/** Finds the first candidate that works, and says why those before it were skipped. */
export async function findBrowser(search: BrowserSearch) {
  requireExecutable(search.settings)
  const rejections = new Set<string>() // a set, because one file may be on PATH twice
  for (const candidate of listBrowserCandidates(search)) {
    const check = await checkBrowser(candidate, search.platform)
    if (check.outcome === 'works') return { browser: check.browser, rejections: [...rejections] }
    if (check.outcome === 'rejected') rejections.add(check.reason)
  }
  if (search.settings.path) {
    throw new BadBrowserPath(`${nameAndPath(search.settings)}: ${[...rejections].join(' ')}`)
  }
  return { browser: undefined, rejections: [...rejections] }
}

/** Checks a path from the settings at once, so that a service with a wrong one does not start. */
export function requireExecutable(settings: Pick<BrowserSettings, 'path' | 'pathOrigin'>): void {
  if (!settings.path) return
  try {
    accessSync(settings.path, constants.X_OK)
  } catch (cause) {
    const message = `${nameAndPath(settings)} does not exist or is not executable.`
    throw new BadBrowserPath(message, { cause })
  }
}

const nameAndPath = ({ path, pathOrigin }: Pick<BrowserSettings, 'path' | 'pathOrigin'>): string =>
  `${pathOrigin ?? 'TRAWL_BROWSER_PATH'}=${path}`

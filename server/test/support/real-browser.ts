import { installedBrowser } from './browser-scene.ts'

/** Settings that give a service the Chromium of this machine; without them it has none. */
export async function withBrowser(): Promise<Record<string, string>> {
  const { browser } = await installedBrowser()
  return { TRAWL_BROWSER_PATH: browser()?.path ?? '' }
}

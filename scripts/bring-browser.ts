import {
  type EnsureBrowserOptions,
  ensureBrowser,
  type PresentBrowser,
} from '../server/src/engines/install/ensure-browser.ts'

/** The path of a browser; if there is none, it is installed, which is reported to a waiting user. */
export async function bringBrowser(
  settings: EnsureBrowserOptions['settings'],
  dataDir: string,
): Promise<string | undefined> {
  using setup = showSetup()
  const pathFolders = process.env['PATH']?.split(':')
  const options = { settings, dataDir, pathFolders, isWaitedFor: true }
  const { path } = await ensureBrowser(options, setup.show)
  return path
}

/** Prints nothing if it is installed already. */
function showSetup(): { show: (present: PresentBrowser) => void } & Disposable {
  const line = '[setup] browser ........ '
  let startedAtMs = 0
  const seconds = () => Math.round((performance.now() - startedAtMs) / 1000)
  let timer: NodeJS.Timeout | undefined

  return {
    show({ state, version, reason }) {
      if (state === 'installing') {
        console.error(`${line}${reason}, because the tests need it`)
        startedAtMs = performance.now()
        timer = setInterval(() => console.error(`${line}${seconds()} s`), 10_000)
      } else if (state === 'absent') console.error(`${line}${reason}`)
      else if (timer) console.error(`${line}Chromium ${version} after ${seconds()} s`)
      if (state !== 'installing') timer = void clearInterval(timer)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

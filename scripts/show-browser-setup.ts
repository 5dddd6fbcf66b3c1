import type { PresentBrowser } from '../server/src/engines/install/ensure-browser.ts'

/** Reports the installation of the browser to a waiting user; prints nothing if it is installed already. */
export function showBrowserSetup(): { show: (present: PresentBrowser) => void } & Disposable {
  const line = '[setup] browser ........ '
  const startedAtMs = performance.now()
  const seconds = () => Math.round((performance.now() - startedAtMs) / 1000)
  let timer: NodeJS.Timeout | undefined

  return {
    show({ state, version, reason }) {
      if (state === 'installing') {
        console.error(`${line}${reason}, because the tests need it`)
        timer = setInterval(() => console.error(`${line}${seconds()} s`), 10_000)
      } else if (state === 'absent') console.error(`${line}${reason}`)
      else if (timer) console.error(`${line}Chromium ${version} after ${seconds()} s`)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

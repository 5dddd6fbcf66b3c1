import type { PresentBrowser } from '../server/src/engines/install/ensure-browser.ts'

/** Reports the installation of a browser to a waiting user; prints nothing if it is installed already. */
export function showBrowserSetup(): { show: (present: PresentBrowser) => void } & Disposable {
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

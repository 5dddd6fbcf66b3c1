import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FailureCode } from '../../../src/domain/failure.ts'

type Outcome = 'page' | FailureCode
export type HostileAnswer = string | ((request: IncomingMessage, response: ServerResponse) => void)

export interface HostilePage {
  name: string
  page: HostileAnswer
  /** What else its site answers, by path. */
  beside?: Record<string, HostileAnswer>
  /** Beside `js_render`. */
  configurations?: object
  expected: Outcome | readonly Outcome[]
  /** What the page's HTML has in the end. */
  shows?: RegExp
  timeoutMs?: number
  /**
   * Keeps the browser's own process busy, some 400 ms beyond its end: seconds on a busy machine, in which
   * another hostile page would not get what it is due.
   */
  holdsUpBrowser?: boolean
}

export const script = (source: string): string => `<!doctype html><p id=p>before</p>
  <script>${source}</script>`
/** Whose script comes to its end. */
export const ending = (source: string): string => script(`${source}\n;p.textContent = "after"`)
/** That never has loaded, so that there is time for what the script does. */
export const unfinished = (source: string): string =>
  `${script(source)}<script src="/never" async></script>`
export const inWorker = (source: string): string =>
  `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(source)}])))`
export const again = (count: number, source: string): string =>
  `for (let i = 0; i < ${count}; i += 1) { ${source} }`

export const shown = { expected: 'page', shows: /after/ } as const
export const late = { expected: 'TARGET_TIMEOUT', timeoutMs: 1_500 } as const

import { styleText } from 'node:util'
import type { JobCounts } from '@trawl/sdk'
import { isQuiet, say } from './messages.ts'

/** What is not counted is pending. */
type PageCounts = Omit<JobCounts, 'pending'>

/** The part of a terminal's stream that is used here. */
interface Screen {
  isTTY?: boolean
  columns?: number
  hasColors?(): boolean
  write(text: string): unknown
}

// biome-ignore lint/style/noProcessEnv: it describes the terminal and is no setting of ours.
const terminalIsDumb = (): boolean => process.env['TERM'] === 'dumb'

const eraseLine = '\r\u001b[2K'

export type ProgressBar = ReturnType<typeof startProgressBar>

/** Shows a bar on a terminal that can erase a line, and nothing elsewhere. */
export function startProgressBar(
  screen: Screen,
  { isDumb = terminalIsDumb(), isHidden = false }: { isDumb?: boolean; isHidden?: boolean } = {},
) {
  const isShown = screen.isTTY === true && !isDumb && !isHidden
  const startedAtMs = performance.now()
  let isDrawn = false
  const clear = () => {
    if (isDrawn) screen.write(eraseLine)
    isDrawn = false
  }
  return {
    show(what: string, counts: PageCounts) {
      if (!isShown) return
      const seconds = Math.floor((performance.now() - startedAtMs) / 1000)
      const line = progressLine(counts, {
        what,
        seconds,
        // Some terminals say 0, as they do not know it.
        columns: screen.columns || 80,
        hasColors: screen.hasColors?.() ?? false,
      })
      screen.write(eraseLine + line)
      isDrawn = true
    },
    /** Removes the bar, for output of another kind. */
    clear,
    [Symbol.dispose]: clear,
  }
}

const barWidthMax = 30

/** What the bar shows: `Crawling ██████░░░░ 60 of 100: 58 completed, 2 failed, 40 pending, 12 s`. */
export function progressLine(
  { total, completed, failed, cancelled }: PageCounts,
  shown: { what: string; seconds: number; columns: number; hasColors: boolean },
): string {
  const done = completed + failed + cancelled
  const words = outcomeWords({ completed, failed, cancelled })
  const text = `${done} of ${total}: ${words}, ${total - done} pending, ${shown.seconds} s`
  // A line that is wrapped could not be erased.
  const room = shown.columns - 1 - `${shown.what}  ${text}`.length
  if (room < 5) return `${shown.what} ${text}`.slice(0, Math.max(shown.columns - 1, 0))
  const width = Math.min(room, barWidthMax)
  const filled = total === 0 ? 0 : Math.floor((width * done) / total)
  const bar = '█'.repeat(filled)
  const colour = failed > 0 ? 'yellow' : 'green'
  const painted = shown.hasColors ? styleText(colour, bar, { validateStream: false }) : bar
  return `${shown.what} ${painted}${'░'.repeat(width - filled)} ${text}`
}

/** `58 completed, 2 failed`. */
export const outcomeWords = (counts: Omit<PageCounts, 'total'>): string =>
  [
    `${counts.completed} completed`,
    `${counts.failed} failed`,
    ...(counts.cancelled > 0 ? [`${counts.cancelled} cancelled`] : []),
  ].join(', ')

const drawIntervalMs = 100
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** Shows that work goes on, until it has ended: a spinner on a terminal, one plain line elsewhere. */
export async function withProgress<Value>(what: string, act: () => Promise<Value>): Promise<Value> {
  const { stderr } = process
  if (!stderr.isTTY || terminalIsDumb() || isQuiet()) {
    say(what)
    return await act()
  }
  const startedAtMs = performance.now()
  const draw = () => {
    const elapsedMs = performance.now() - startedAtMs
    const frame = frames[Math.floor(elapsedMs / drawIntervalMs) % frames.length]
    stderr.write(`${eraseLine}${frame} ${what} ${(elapsedMs / 1000).toFixed(1)} s`)
  }
  draw()
  const timer = setInterval(draw, drawIntervalMs)
  try {
    return await act()
  } finally {
    clearInterval(timer)
    stderr.write(eraseLine)
  }
}

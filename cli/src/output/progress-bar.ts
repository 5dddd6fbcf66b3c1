import { styleText } from 'node:util'
import type { JobCounts } from '@trawl/sdk'

/** What is not counted is pending. */
type PageCounts = Omit<JobCounts, 'pending'>

/** The part of a terminal's stream that is used here. */
interface Screen {
  isTTY?: boolean
  columns?: number
  hasColors?(): boolean
  write(text: string): unknown
}

export interface ProgressBar extends Disposable {
  show(what: string, counts: PageCounts): void
  /** Removes the bar, for output of another kind. */
  clear(): void
}

// biome-ignore lint/style/noProcessEnv: it describes the terminal and is no setting of ours.
export const terminalIsDumb = (): boolean => process.env['TERM'] === 'dumb'

const eraseLine = '\r\u001b[2K'

/** Shows a bar on a terminal that can erase a line, and nothing elsewhere. */
export function startProgressBar(
  screen: Screen,
  { isDumb = terminalIsDumb(), isHidden = false }: { isDumb?: boolean; isHidden?: boolean } = {},
): ProgressBar {
  const isShown = screen.isTTY === true && !isDumb && !isHidden
  const startedAtMs = performance.now()
  let isDrawn = false
  const clear = () => {
    if (isDrawn) screen.write(eraseLine)
    isDrawn = false
  }
  return {
    show(what, counts) {
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
  const words = [
    `${completed} completed`,
    `${failed} failed`,
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
    `${total - done} pending`,
    `${shown.seconds} s`,
  ].join(', ')
  const text = `${done} of ${total}: ${words}`
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

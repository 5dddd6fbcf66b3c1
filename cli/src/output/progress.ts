import { isQuiet, say } from './messages.ts'
import { terminalIsDumb } from './progress-bar.ts'

const drawIntervalMs = 100
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** Shows progress on stderr: a spinner on a terminal, one plain line elsewhere. */
function startProgress(what: string): Disposable {
  const { stderr } = process
  const startedAtMs = performance.now()
  if (!stderr.isTTY || terminalIsDumb() || isQuiet()) {
    say(what)
    return { [Symbol.dispose]: () => undefined }
  }
  const draw = () => {
    const elapsedMs = performance.now() - startedAtMs
    const frame = frames[Math.floor(elapsedMs / drawIntervalMs) % frames.length]
    stderr.write(`\r\u001b[2K${frame} ${what} ${(elapsedMs / 1000).toFixed(1)} s`)
  }
  draw()
  const timer = setInterval(draw, drawIntervalMs)
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer)
      stderr.write('\r\u001b[2K')
    },
  }
}

/** Shows progress until the work has ended. */
export async function withProgress<Value>(what: string, act: () => Promise<Value>): Promise<Value> {
  using _shown = startProgress(what)
  return await act()
}

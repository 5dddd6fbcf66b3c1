/** The user pressed Ctrl-C. */
export class Interrupted extends Error {}

/** The process was asked to end. */
export class Terminated extends Error {}

const interruptedExitCode = 130

/**
 * Aborts on the first SIGINT or SIGTERM, so that a command can say how to go on. A second Ctrl-C ends the
 * process at once; SIGTERM after Ctrl-C does not, because the launcher of `npx trawl` sends it then.
 */
export function watchSignals(): Disposable & { readonly signal: AbortSignal } {
  const ending = new AbortController()
  const onInterrupt = () => {
    if (ending.signal.reason instanceof Interrupted) process.exit(interruptedExitCode)
    ending.abort(new Interrupted())
  }
  const onTerminate = () => ending.abort(new Terminated())
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerminate)
  return {
    signal: ending.signal,
    [Symbol.dispose]: () => {
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', onTerminate)
    },
  }
}

/** The user pressed Ctrl-C. */
export class Interrupted extends Error {}

/** The process was asked to end. */
export class Terminated extends Error {}

const interruptedExitCode = 130

// One Ctrl-C arrives up to three times: from the terminal, from npm and from the launcher.
const oneCtrlCMs = 1000

/** Calls back at a Ctrl-C. A second one, which comes later, ends the process at once. */
export function onCtrlC(act: () => void): Disposable {
  let firstAtMs: number | undefined
  const onSignal = () => {
    firstAtMs ??= performance.now()
    if (performance.now() - firstAtMs > oneCtrlCMs) process.exit(interruptedExitCode)
    act()
  }
  process.on('SIGINT', onSignal)
  return { [Symbol.dispose]: () => void process.off('SIGINT', onSignal) }
}

/**
 * Aborts on the first Ctrl-C or SIGTERM, so that a command can say how to go on; also when its time is
 * over, with the error of `late`.
 */
export function watchSignals({
  seconds,
  late,
}: {
  seconds?: number | undefined
  late?: () => Error
} = {}): Disposable & {
  readonly signal: AbortSignal
} {
  const ending = new AbortController()
  const ctrlC = onCtrlC(() => ending.abort(new Interrupted()))
  const onTerminate = () => ending.abort(new Terminated())
  process.on('SIGTERM', onTerminate)
  const timer =
    seconds === undefined ? undefined : setTimeout(() => ending.abort(late?.()), seconds * 1000)
  return {
    signal: ending.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      ctrlC[Symbol.dispose]()
      process.off('SIGTERM', onTerminate)
    },
  }
}

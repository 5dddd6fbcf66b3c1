import { CommandFailure, exitCodes } from './command-failure.ts'

/** The user pressed Ctrl-C, or the process was asked to end. */
export class Interrupted extends CommandFailure {
  constructor(kind: 'interrupted' | 'terminated') {
    super(kind, '')
  }
}

// One Ctrl-C arrives up to three times: from the terminal, from npm and from the launcher.
const oneCtrlCMs = 1000

/** Calls back at a Ctrl-C. A second one, which comes later, ends the process at once. */
export function onCtrlC(act: () => void): Disposable {
  let firstAtMs: number | undefined
  const onSignal = () => {
    firstAtMs ??= performance.now()
    if (performance.now() - firstAtMs > oneCtrlCMs) process.exit(exitCodes.interrupted)
    act()
  }
  process.on('SIGINT', onSignal)
  return { [Symbol.dispose]: () => void process.off('SIGINT', onSignal) }
}

/**
 * Aborts on the first Ctrl-C or SIGTERM, so that a command can say how to go on; also when its time is
 * over, of which `late` is said.
 */
export function watchSignals(
  limit: { seconds?: number | undefined; late?: string } = {},
): Disposable & { readonly signal: AbortSignal } {
  const { seconds, late = '' } = limit
  const ending = new AbortController()
  const ctrlC = onCtrlC(() => ending.abort(new Interrupted('interrupted')))
  const onTerminate = () => ending.abort(new Interrupted('terminated'))
  process.on('SIGTERM', onTerminate)
  const onLate = () => ending.abort(new CommandFailure('timedOut', late))
  const timer = seconds === undefined ? undefined : setTimeout(onLate, seconds * 1000)
  return {
    signal: ending.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      ctrlC[Symbol.dispose]()
      process.off('SIGTERM', onTerminate)
    },
  }
}

import { type CallOptions, type JobCounts, type Trawl, waitForEnd } from '@trawl/sdk'
import type { Argument, Command } from 'commander'
import { openService, patient } from '../client/service-client.ts'
import { type ServiceFlags, withServiceOptions } from '../client/service-options.ts'
import { watchSignals } from '../interruption.ts'
import { isQuiet, say } from '../output/messages.ts'
import { type PrintFlags, printResult, withOutputOptions } from '../output/print.ts'
import { startProgressBar } from '../output/progress.ts'
import { wholeNumber } from './arguments.ts'

interface WaitFlags extends ServiceFlags, PrintFlags {
  timeout?: number
}

interface Wait<Watched, Flags> {
  argument: Argument
  about: string
  configure?(command: Command): Command
  help?: string
  /** The first look, whose error is the user's to see. */
  find(id: string, flags: ServiceFlags & Flags, signal: AbortSignal): Promise<Watched>
  /** Every other look, which waits for the service, too. */
  look(trawl: Trawl, id: string, options: CallOptions): Promise<Watched>
  show(ended: Watched): Record<string, unknown>
  progress?(watched: Watched): [what: string, counts: JobCounts]
  isGood(ended: Watched): boolean
}

const secondsMax = 7 * 24 * 3600

/** Adds a command that waits for the end of a job or a task. */
export function addWaitCommand<Watched extends { completed_at: string | null }, Flags>(
  parent: Command,
  wait: Wait<Watched, Flags>,
): void {
  const command = withOutputOptions(withServiceOptions(parent.command('wait')))
    .addArgument(wait.argument)
    .description(wait.about)
    .option('--timeout <seconds>', 'how long to wait; then exit code 7', wholeNumber(1, secondsMax))
    .addHelpText(
      'after',
      `\nCtrl-C ends only the command; run it again to go on.${wait.help ?? ''}`,
    )
  const noun = parent.name().replace(/s$/, '')
  ;(wait.configure?.(command) ?? command).action(async (id: string, flags: WaitFlags & Flags) => {
    using signals = watchSignals({
      seconds: flags.timeout,
      late: `The ${noun} did not end within ${flags.timeout} s.`,
    })
    const { signal } = signals
    const untilOver = async () => {
      using bar = startProgressBar(process.stderr, { isHidden: isQuiet() })
      await wait.find(id, flags, signal)
      const trawl = openService(flags, patient)
      const onProgress = (seen: Watched) => wait.progress && bar.show(...wait.progress(seen))
      return await waitForEnd(
        (options) => wait.look(trawl, id, options),
        // A cancelled job has ended after its last page only.
        ({ completed_at }) => completed_at !== null,
        { signal, timeout: Infinity, onProgress },
      )
    }
    const ended = await untilOver().catch((error: unknown) => {
      if (signal.aborted) say(`It goes on. To wait again: npx trawl ${parent.name()} wait ${id}`)
      throw error
    })
    await printResult(wait.show(ended), flags)
    if (!wait.isGood(ended)) process.exitCode = 1
  })
}

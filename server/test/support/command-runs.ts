import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { EndedCommand } from './run-job-command.ts'
import { childEnvironment } from './run-program.ts'

const runner = fileURLToPath(new URL('command-runner.ts', import.meta.url))

/** Runs command lines one after another in one process; nothing but their words differs. */
export async function startCommandRuns(
  t: TestContext,
  { cwd, environment }: { cwd: string; environment: Record<string, string> },
): Promise<(args: string[]) => Promise<EndedCommand>> {
  const child = fork(runner, {
    cwd,
    env: { ...childEnvironment(), ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  const running = { line: '' }
  const ended = once(child, 'exit').then(() => {
    throw new Error(`The process ended during: trawl ${running.line}`)
  })
  ended.catch(() => undefined)
  return async (args) => {
    running.line = args.join(' ')
    const answered = Promise.withResolvers<EndedCommand>()
    child.once('message', (end) => answered.resolve(end as EndedCommand))
    child.send(args)
    return await Promise.race([answered.promise, ended])
  }
}

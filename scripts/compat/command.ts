import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface Command {
  program: string
  args: string[]
  timeoutMs: number
  environment?: Record<string, string | undefined>
  /** Nothing by default. */
  stdin?: string
  onLine?: (line: string) => void
  /** Ends it, and the whole trial. */
  signal: AbortSignal
}

/** Runs a command to its end. On abort or timeout it kills the whole process group. */
export async function runCommand(
  command: Command,
): Promise<{ exitCode: number | null; output: string }> {
  const { program, args, timeoutMs, environment, stdin = '', onLine, signal } = command
  signal.throwIfAborted()
  const child = spawn(program, args, {
    env: environment ?? process.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // a process group of its own, which can be killed as a whole
  })
  child.stdin.on('error', () => undefined).end(stdin)
  let output = ''
  const addLine = (line: string): void => {
    output += `${line}\n`
    onLine?.(line)
  }
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', addLine)
  }

  const timeout = AbortSignal.timeout(timeoutMs)
  const end = AbortSignal.any([signal, timeout])
  const kill = () => killGroup(child.pid)
  end.addEventListener('abort', kill, { once: true })
  const [exitCode] = (await once(child, 'close')) as [number | null]
  end.removeEventListener('abort', kill)

  signal.throwIfAborted()
  if (timeout.aborted) addLine(`It was killed after ${timeoutMs / 1000} s, its timeout.`)
  return { exitCode, output }
}

/** The same for a step without which nothing can be tried; `name` is for who has to repair it. */
export async function mustRun(name: string, command: Command): Promise<void> {
  const { exitCode, output } = await runCommand(command)
  if (exitCode !== 0) throw new CompatProblem(`\n${name} failed (exit ${exitCode}):\n${output}`)
}

/** A problem that the user has to fix; printed without a stack. */
export class CompatProblem extends Error {}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has exited already.
  }
}

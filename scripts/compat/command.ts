import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface Command {
  program: string
  args: string[]
  timeoutMs: number
  environment?: Record<string, string | undefined>
  onLine?: (line: string) => void
}

/** Runs a command to its end; on the signal or past its time it is killed with all it started. */
export async function runCommand(
  { program, args, timeoutMs, environment, onLine }: Command,
  signal: AbortSignal,
): Promise<{ exitCode: number | null; output: string }> {
  signal.throwIfAborted()
  const child = spawn(program, args, {
    env: environment ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, to be killed as one
  })
  let output = ''
  const hear = (line: string): void => {
    output += `${line}\n`
    onLine?.(line)
  }
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', hear)
  }

  const timeout = AbortSignal.timeout(timeoutMs)
  const over = AbortSignal.any([signal, timeout])
  const kill = () => killGroup(child.pid)
  over.addEventListener('abort', kill, { once: true })
  const [exitCode] = (await once(child, 'close')) as [number | null]
  over.removeEventListener('abort', kill)

  signal.throwIfAborted()
  if (timeout.aborted) hear(`It was ended after ${timeoutMs / 1000} s.`)
  return { exitCode, output }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended this very moment.
  }
}

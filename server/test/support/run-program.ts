import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const ownCli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

export interface RunningProgram {
  child: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves with the match once stderr has it; rejects if the program ends before. */
  whenSaid(pattern: RegExp): Promise<RegExpExecArray>
  whenEnded: Promise<number | null>
}

/** What a program of ours needs of this process's environment; the cache spares it compiling. */
export const childEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  TRAWL_DASHBOARD: 'off',
})

/** Runs `trawl …` as a process of its own, with an environment of its own; ended with the test. */
export function runTrawl(
  t: TestContext,
  args: string[],
  options: {
    environment?: Record<string, string>
    cwd: string
    cli?: string
    /** A command that runs another, such as `nice`, with its arguments. */
    through?: readonly string[]
    /** What it reads from stdin; nothing by default. */
    stdin?: string
  },
): RunningProgram {
  const { cli = ownCli, through = [] } = options
  const [command = '', ...words] = [...through, process.execPath, cli, ...args]
  const child = spawn(command, words, {
    cwd: options.cwd,
    env: { ...childEnvironment(), ...options.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined).end(options.stdin ?? '')
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const whenEnded = once(child, 'close').then(([code]) => code as number | null)
  t.after(async () => {
    child.kill('SIGKILL')
    await whenEnded
  })
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    whenEnded,
    async whenSaid(pattern) {
      for (;;) {
        const match = pattern.exec(stderr)
        if (match) return match
        if (child.exitCode !== null) throw new Error(`Ended without saying ${pattern}:\n${stderr}`)
        await Promise.race([once(child.stderr, 'data'), whenEnded])
      }
    },
  }
}

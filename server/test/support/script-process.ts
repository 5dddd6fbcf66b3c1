import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

/** Another process that runs one script and prints lines; it is killed when the test ends. */
export interface ScriptProcess {
  /** The next line it prints; undefined once it has ended. */
  nextLine(): Promise<string | undefined>
  writeLine(line: string): void
  kill(): void
  /** Resolves once the process has ended, with every line not read so far. */
  remainingLines(): Promise<string[]>
}

/** Passes `argument` to the script as JSON, as its only argument. */
export function startScript(t: TestContext, script: URL, argument: unknown): ScriptProcess {
  const child = spawn(process.execPath, [fileURLToPath(script), JSON.stringify(argument)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => end(child))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => {
    const { value, done } = await lines.next()
    return done ? undefined : value
  }
  return {
    nextLine,
    writeLine: (line) => void child.stdin.write(`${line}\n`),
    kill: () => void child.kill('SIGKILL'),
    remainingLines: async () => {
      const remaining: string[] = []
      for (let line = await nextLine(); line !== undefined; line = await nextLine()) {
        remaining.push(line)
      }
      return remaining
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

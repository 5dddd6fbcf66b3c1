import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { pathToFileURL } from 'node:url'

export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP']

export async function runInThisProcess({ file, args }) {
  process.argv = [process.execPath, file, ...args]
  await import(pathToFileURL(file).href)
}

/**
 * Makes glibc return large allocations to the system when they are freed. By default it raises this
 * threshold and keeps them: 80 MB after a few large pages.
 */
const mallocSettings = { MALLOC_MMAP_THRESHOLD_: '131072' }

/** Runs the program with the streams of this process and returns its exit code. */
export async function runAsChild({ node, nodeFlags, file, args }, parent) {
  const env = { ...mallocSettings, ...process.env }
  const child = spawn(node, [...nodeFlags, file, ...args], { stdio: 'inherit', env })
  const stop = () => child.kill('SIGTERM')

  // A terminal sends Ctrl-C to the child as well. This process passes it on as SIGTERM, so that the child
  // gets a second SIGINT, which means exit at once, only for a second Ctrl-C.
  for (const signal of stopSignals) process.on(signal, stop)
  parent.onGone(stop)

  return await exitCodeOf(child)
}

/** Like a shell: the exit code, or 128 plus the number of the signal that killed it. */
export function exitCodeOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

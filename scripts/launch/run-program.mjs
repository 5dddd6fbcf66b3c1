import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { pathToFileURL } from 'node:url'

export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP']

export async function runInThisProcess({ file, args }) {
  process.argv = [process.execPath, file, ...args]
  await import(pathToFileURL(file).href)
}

/**
 * Large pieces of memory go back to the system when they are done with. Otherwise glibc raises this
 * limit by itself and keeps them: 80 MB after a few large pages.
 */
const returningMemory = { MALLOC_MMAP_THRESHOLD_: '131072' }

/** Runs the program with this process's streams and gives the exit code to pass on. */
export async function runAsChild({ node, nodeFlags, file, args }, parent) {
  const env = { ...returningMemory, ...process.env }
  const child = spawn(node, [...nodeFlags, file, ...args], { stdio: 'inherit', env })
  const stop = () => child.kill('SIGTERM')

  // A terminal sends Ctrl-C to the child as well. It hears of it here as SIGTERM, so that only the
  // person's second Ctrl-C is its second SIGINT, which means "now".
  for (const signal of stopSignals) process.on(signal, stop)
  parent.onGone(stop)

  return await exitCodeOf(child)
}

/** As a shell counts: the exit code, or 128 and the number of the signal that ended it. */
export function exitCodeOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

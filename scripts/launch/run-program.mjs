import { spawn } from 'node:child_process'
import module from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP']

/** What Node keeps of compiled modules, without their types: a start takes half of the processor time then. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))

export async function runInThisProcess({ file, args }) {
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE ?? compileCache)
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
  let child
  // Each signal is passed on as it is, so that the program ends for the reason that its caller had. A
  // terminal sends Ctrl-C to the child as well, which takes two in a row for one.
  for (const signal of stopSignals) process.on(signal, () => child.kill(signal))
  parent.onGone(() => child.kill('SIGTERM'))

  const env = { ...mallocSettings, NODE_COMPILE_CACHE: compileCache, ...process.env }
  child = spawn(node, [...nodeFlags, file, ...args], { stdio: 'inherit', env })
  return await exitCodeOf(child)
}

/** Like a shell: the exit code, or 128 plus the number of the signal that killed it. */
export function exitCodeOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

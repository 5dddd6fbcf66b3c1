import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isOverBefore } from './is-over-before.ts'

// What is over at once needs no yardstick, which takes a core of its own.
const atOnceMs = 500

/**
 * Whether the work is over before so many processes have started and ended, one after the other. A start takes
 * about 50 ms of an idle machine and as much longer on a busy one as the work does, which seconds do not.
 */
export async function isOverBeforeProcessStarts(
  work: Promise<unknown>,
  count: number,
): Promise<boolean> {
  if (await isOverBefore(work, atOnceMs)) return true
  let isOver = false
  const end = () => {
    isOver = true
  }
  work.then(end, end)
  for (let started = 0; started < count && !isOver; started += 1) {
    await once(spawn(process.execPath, ['--eval', '0'], { stdio: 'ignore' }), 'exit')
  }
  return isOver
}

/** A hostile caller in a process of its own, so that only the service is kept busy by it. */
import { hostileCallers, type Target } from './hostile-callers.ts'

process.once('message', async ({ name, target }: { name: string; target: Target }) => {
  process.send?.(await hostileCallers[name]?.attack(target))
  process.disconnect()
})

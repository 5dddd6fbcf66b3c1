/** A hostile caller in a process of its own, so that only the service is kept busy by it. */
import { type CalledService, hostileCallers } from './hostile-callers.ts'

process.once('message', async ({ name, target }: { name: string; target: CalledService }) => {
  process.send?.(await hostileCallers[name]?.attack(target))
  process.disconnect()
})

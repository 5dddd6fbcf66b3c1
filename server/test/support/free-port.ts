import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A port of 127.0.0.1 that was free a moment ago; another process may still take it. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await once(probe.close(), 'close')
  return port
}

import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config.ts'
import { createLog } from '../runtime/log.ts'
import { putStoreProperty } from '../storage/tables/store-properties.ts'
import { openStore } from '../wiring/open-store.ts'

/** Opens the store as the service does, and writes to it. */
export async function tryStore(config: Config): Promise<string> {
  const { db } = await openStore(config, createLog({ level: 'silent', isPretty: false }))
  await using _closed = db
  await db.run(putStoreProperty({ name: 'doctor_wrote_at_ms', value: String(db.nowMs()) }))
  return `${db.kind} can be written`
}

/** Listens on the port for a moment. A port that a Trawl service uses is fine too. */
export async function tryPort({ host, port }: Config['http']): Promise<string> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return `${host}:${port} is free`
  } catch (error) {
    if (await isTrawl(`http://${host}:${port}/health`)) return `trawl runs on ${host}:${port}`
    throw error
  } finally {
    server.close()
  }
}

async function isTrawl(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) })
    return ((await response.json()) as { service?: string }).service === 'trawl'
  } catch {
    return false
  }
}

import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config.ts'
import { createLog } from '../runtime/log.ts'
import { putStoreProperty } from '../storage/store-properties-table.ts'
import { openStore } from '../wiring/open-store.ts'

/** Writes to the store, as the service would. */
export async function tryStore(config: Config): Promise<string> {
  const { db } = await openStore(config, createLog({ level: 'silent', isPretty: false }))
  await using _closed = db
  await db.run(putStoreProperty({ name: 'doctor_wrote_at_ms', value: String(db.nowMs()) }))
  return `${db.kind} can be written`
}

/** Listens on the port for a moment; our own service on it is as good as a free one. */
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
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) })
    return ((await answer.json()) as { service?: string }).service === 'trawl'
  } catch {
    return false
  }
}

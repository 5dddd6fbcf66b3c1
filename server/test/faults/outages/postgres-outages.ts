import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresServer } from '../../support/postgres-server.ts'
import type { StallingProxy } from '../../support/stalling-proxy.ts'
import type { Outage } from './run-outages.ts'

// A server process without a master ends by itself, but not in the same instant.
const orphansEndWithinMs = 250

/** The server loses its master process, as if it had crashed, and is started again. */
export const kill = (server: PostgresServer, lastsMs: number): Outage => ({
  name: 'killed',
  lastsMs,
  isTotal: true,
  begin: async () => {
    await server.kill()
    await pause(orphansEndWithinMs)
  },
  end: () => server.start(),
})

/** Everything of the server stands still; connections stay open and are not answered. */
export const standStill = (server: PostgresServer, lastsMs: number): Outage => ({
  name: 'paused',
  lastsMs,
  isTotal: true,
  begin: () => server.pause(),
  end: () => server.resume(),
})

/** The server is well, but nothing comes through. */
export const cutOff = (proxy: StallingProxy, lastsMs: number): Outage => ({
  name: 'cut off',
  lastsMs,
  isTotal: true,
  begin: async () => proxy.stall(),
  end: async () => proxy.resume(),
})

const terminatedEveryMs = 50

/** Every connection is ended by the server, again and again. */
export function terminate(url: string, lastsMs: number): Outage {
  let storm: Promise<void> | undefined
  let isOver = false
  return {
    name: 'connections ended',
    lastsMs,
    isTotal: false,
    begin: async () => {
      isOver = false
      storm = rage()
    },
    end: async () => {
      isOver = true
      await storm
    },
  }

  async function rage(): Promise<void> {
    while (!isOver) {
      await endConnections(url)
      await pause(terminatedEveryMs)
    }
  }
}

async function endConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  await client.end()
}

import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresServer } from '../../support/postgres-server.ts'
import type { StallingProxy } from '../../support/stalling-proxy.ts'
import type { StoreOutage } from './run-outages.ts'

// Backends without a postmaster exit by themselves, but not at once.
const orphansEndWithinMs = 250

/** Kills the postmaster, like a crash, and starts the server again. */
export const kill = (server: PostgresServer, lastsMs: number): StoreOutage => ({
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
export const freeze = (server: PostgresServer, lastsMs: number): StoreOutage => ({
  name: 'paused',
  lastsMs,
  isTotal: true,
  begin: () => server.pause(),
  end: () => server.resume(),
})

/** The server is well, but nothing comes through. */
export const cutNetwork = (proxy: StallingProxy, lastsMs: number): StoreOutage => ({
  name: 'cut off',
  lastsMs,
  isTotal: true,
  begin: async () => proxy.stall(),
  end: async () => proxy.resume(),
})

const terminatedEveryMs = 50

/** The server terminates every connection again and again. */
export function terminate(url: string, lastsMs: number): StoreOutage {
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

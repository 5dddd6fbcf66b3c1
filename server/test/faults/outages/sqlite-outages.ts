import { DatabaseSync } from 'node:sqlite'
import type { Outage, StoreOutage } from './run-outages.ts'

const pagesOfPlenty = 1_000_000

/** The file may not grow any more: writes that need a new page fail like on a full disk. */
export const fill = (file: string, lastsMs: number): Outage => ({
  name: 'full',
  lastsMs,
  isTotal: false,
  begin: async (service) => service.sendCommand(`pages ${countPages(file)}`),
  end: async (service) => service.sendCommand(`pages ${pagesOfPlenty}`),
})

/** Another process holds the write lock. */
export function lock(file: string, lastsMs: number): StoreOutage {
  let connection: DatabaseSync | undefined
  return {
    name: 'locked',
    lastsMs,
    isTotal: true,
    begin: async () => {
      connection = new DatabaseSync(file, { timeout: 5_000 })
      connection.exec('begin immediate')
    },
    end: async () => connection?.close(),
  }
}

function countPages(file: string): number {
  const connection = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(connection.prepare('pragma page_count').get()?.['page_count'])
  } finally {
    connection.close()
  }
}

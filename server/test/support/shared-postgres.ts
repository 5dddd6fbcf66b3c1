import pg from 'pg'
import { createLog } from '../../src/runtime/log.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

const variable = 'TRAWL_TEST_POSTGRES_URL'

/** A database of the shared server that has our schema and no rows: copying it beats migrating. */
export const templateDatabase = 'trawl_template'

/** What a crash would lose is of no interest to most tests, and waiting for the disk is slow. */
export const startFastPostgres = (): Promise<PostgresServer> =>
  startPostgres('fsync=off', 'full_page_writes=off', 'synchronous_commit=off')

/** For the run as a whole; its test files find the server through the environment. */
export async function startSharedPostgres(): Promise<PostgresServer> {
  const server = await startFastPostgres()
  await createTemplate(server.url)
  process.env[variable] = server.url
  return server
}

async function createTemplate(serverUrl: string): Promise<void> {
  const url = await createDatabase(serverUrl, templateDatabase)
  const log = createLog({ level: 'silent', isPretty: false })
  await using _migrated = await openDatabase({ url, dataDir: '', log })
}

let own: Promise<PostgresServer> | undefined

/** The run's server, or one of this process's own when a test file is run by hand. */
export async function sharedPostgresUrl(): Promise<string> {
  const url = process.env[variable]
  if (url) return url
  own ??= startSharedPostgres()
  return (await own).url
}

/** Resolves with its URL; a copy of `template` if there is one. */
export async function createDatabase(
  serverUrl: string,
  name: string,
  template = 'template1',
): Promise<string> {
  await runOn(serverUrl, `create database ${name} template ${template}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

export async function dropDatabase(url: string): Promise<void> {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = '/postgres'
  await runOn(server.href, `drop database if exists ${name} with (force)`)
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

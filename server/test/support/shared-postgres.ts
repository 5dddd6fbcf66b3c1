import { type PostgresServer, startPostgres } from './postgres-server.ts'

const variable = 'TRAWL_TEST_POSTGRES_URL'

/** What a crash would lose is of no interest to most tests, and waiting for the disk is slow. */
export const startFastPostgres = (): Promise<PostgresServer> =>
  startPostgres('fsync=off', 'full_page_writes=off', 'synchronous_commit=off')

/** For the run as a whole; its test files find the server through the environment. */
export async function startSharedPostgres(): Promise<PostgresServer> {
  const server = await startFastPostgres()
  process.env[variable] = server.url
  return server
}

let own: Promise<PostgresServer> | undefined

/** The run's server, or one of this process's own when a test file is run by hand. */
export async function sharedPostgresUrl(): Promise<string> {
  const url = process.env[variable]
  if (url) return url
  own ??= startFastPostgres()
  return (await own).url
}

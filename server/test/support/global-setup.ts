/** For `node --test --test-global-setup`: what all test files of a run share. */
import type { PostgresServer } from './postgres-server.ts'
import { startSharedPostgres } from './shared-postgres.ts'

let postgres: PostgresServer | undefined

export async function globalSetup(): Promise<void> {
  postgres = await startSharedPostgres()
}

export async function globalTeardown(): Promise<void> {
  await postgres?.[Symbol.asyncDispose]()
}

import type { Command } from '../../../cli/src/index.ts'
import { createKey, revokeKey } from '../accounts/api-keys.ts'
import { listApiKeys } from '../storage/tables/api-keys.ts'
import { accountOf, withAccountOption } from './account-option.ts'
import { onStore } from './on-store.ts'

export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('manage the API keys of an account')

  onStore(
    withAccountOption(keys.command('create').description('create a key and print it, once')),
    async ({ db }, given) => {
      const { id, key } = await createKey(db, (await accountOf(db, given)).id)
      return { id, api_key: key }
    },
  )
  onStore(
    withAccountOption(
      keys.command('list').alias('ls').description('list the keys, by their first characters'),
    ),
    async ({ db }, given) => {
      const found = await db.run(listApiKeys((await accountOf(db, given)).id))
      return found.map((key) => ({
        id: key.id,
        label: `${key.label}…`,
        created_at: isoOrNull(key.createdAtMs),
        last_used_at: isoOrNull(key.lastUsedAtMs),
        revoked_at: isoOrNull(key.revokedAtMs),
      }))
    },
  )
  onStore<[id: string]>(
    withAccountOption(keys.command('revoke <id>').description('revoke a key, within 3 s')),
    async ({ db }, given) => {
      const [id] = given.args
      await revokeKey(db, { id, accountId: (await accountOf(db, given)).id })
      return { id, revoked: true }
    },
  )
}

const isoOrNull = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString()

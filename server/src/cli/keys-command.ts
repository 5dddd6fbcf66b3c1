import type { Command } from '../../../cli/src/index.ts'
import { createKey, revokeKey } from '../accounts/api-keys.ts'
import { isoTime, isoTimeOrNull } from '../runtime/iso-time.ts'
import { listApiKeys } from '../storage/tables/api-keys.ts'
import { onAccount } from './on-store.ts'

export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('manage the API keys of an account')

  onAccount(
    keys.command('create').description('create a key and print it, once'),
    async ({ db }, account) => {
      const { id, key } = await createKey(db, account.id)
      return { id, api_key: key }
    },
  )
  onAccount(
    keys.command('list').alias('ls').description('list the keys, by their first characters'),
    async ({ db }, account) =>
      (await db.run(listApiKeys(account.id))).map((key) => ({
        id: key.id,
        label: `${key.label}…`,
        created_at: isoTime(key.createdAtMs),
        last_used_at: isoTimeOrNull(key.lastUsedAtMs),
        revoked_at: isoTimeOrNull(key.revokedAtMs),
      })),
  )
  onAccount<[id: string]>(
    keys.command('revoke <id>').description('revoke a key, within 3 s'),
    async ({ db }, account, { args: [id] }) => {
      await revokeKey(db, { id, accountId: account.id })
      return { id, revoked: true }
    },
  )
}

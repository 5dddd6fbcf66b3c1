import type { Command } from '../../../cli/src/index.ts'
import { createWhitelist } from '../accounts/whitelist.ts'
import type { WhitelistedIp } from '../domain/account/whitelisted-ip.ts'
import { Failure } from '../domain/failure.ts'
import { canonicalBlock } from '../runtime/ip-block.ts'
import { accountOf, withAccountOption } from './account-option.ts'
import { onStore } from './on-store.ts'

export function addIpsCommand(program: Command): void {
  const ips = program.command('ips').description('manage addresses that need no credentials')

  onStore(
    withAccountOption(
      ips.command('list').alias('ls').description('list the addresses, oldest first'),
    ),
    async ({ db }, given) => rows(await createWhitelist(db).list((await accountOf(db, given)).id)),
  )
  onStore<[ip: string]>(
    withAccountOption(ips.command('add <ip>').description('add an address or a CIDR block')).option(
      '--description <text>',
      'free text',
      '',
    ),
    async ({ db }, given) => {
      const description = String(given.options['description'])
      const entry = { block: blockOf(given.args[0]), description }
      return rows(await createWhitelist(db).add((await accountOf(db, given)).id, [entry]))
    },
  )
  onStore<[ip: string]>(
    withAccountOption(ips.command('remove <ip>').description('remove an address')),
    async ({ db }, given) => {
      const { id } = await accountOf(db, given)
      return rows(await createWhitelist(db).remove(id, [blockOf(given.args[0])]))
    },
  )
}

const rows = (entries: WhitelistedIp[]) =>
  entries.map(({ id, block, description }) => ({ ip: block, description, _id: id }))

function blockOf(text: string): string {
  const block = canonicalBlock(text)
  if (block === undefined)
    throw new Failure('VALIDATION_ERROR', `${text} is neither an IP address nor a CIDR block.`)
  return block
}

import type { Command } from '../../../cli/src/index.ts'
import { createWhitelist } from '../accounts/whitelist.ts'
import type { WhitelistedIp } from '../domain/account/whitelisted-ip.ts'
import { Failure } from '../domain/failure.ts'
import { canonicalBlock } from '../runtime/ip-block.ts'
import { onAccount } from './on-store.ts'

export function addIpsCommand(program: Command): void {
  const ips = program.command('ips').description('manage addresses that need no credentials')

  onAccount(
    ips.command('list').alias('ls').description('list the addresses, oldest first'),
    async ({ db }, account) => rows(await createWhitelist(db).list(account.id)),
  )
  onAccount<[ip: string]>(
    ips
      .command('add <ip>')
      .description('add an address or a CIDR block')
      .option('--description <text>', 'free text', ''),
    async ({ db }, account, { args: [ip], options }) => {
      const entry = { block: blockOf(ip), description: String(options['description']) }
      return rows(await createWhitelist(db).add(account.id, [entry]))
    },
  )
  onAccount<[ip: string]>(
    ips.command('remove <ip>').description('remove an address'),
    async ({ db }, account, { args: [ip] }) =>
      rows(await createWhitelist(db).remove(account.id, [blockOf(ip)])),
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

import { z } from 'zod'
import { listUpTo } from '../../../domain/scrape/option-kinds.ts'
import {
  ChangedWhitelistBody,
  DescriptionText,
  IpText,
  toChangedWhitelist,
  whitelistedIpsLimit,
  whitelistedIpsPath,
} from '../../../wire/configuration/whitelisted-ips.ts'
import { whitelistedIpExamples } from '../../../wire/webhooks/examples.ts'
import { defineRoute } from '../../route.ts'

export const addWhitelistedIps = defineRoute({
  operationId: 'addWhitelistedIps',
  method: 'POST',
  path: whitelistedIpsPath,
  family: 'configuration',
  summary: 'Add addresses that need no credentials',
  description:
    'All of them or none: an address that is on the list already refuses the request, and so does a block wider than /16 (IPv4) or /32 (IPv6).',
  limit: whitelistedIpsLimit,
  body: z.object({
    ips: listUpTo(10, z.object({ ip: IpText, description: DescriptionText.default('') }), 1),
  }),
  response: { status: 200, description: 'The list after the change.', body: ChangedWhitelistBody },
  examples: whitelistedIpExamples.add,

  async handle({ account, body }, { whitelist }) {
    const entries = body.ips.map(({ ip, description }) => ({ block: ip, description }))
    return toChangedWhitelist(await whitelist.add(account.id, entries), 'Whitelisted IPs saved.')
  },
})

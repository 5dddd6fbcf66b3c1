import { z } from 'zod'
import { listUpTo } from '../../../domain/scrape/option-kinds.ts'
import {
  ChangedWhitelistBody,
  IpText,
  toChangedWhitelist,
  whitelistedIpsLimit,
  whitelistedIpsPath,
} from '../../../wire/configuration/whitelisted-ips.ts'
import { whitelistedIpExamples } from '../../../wire/webhooks/examples.ts'
import { defineRoute } from '../../route.ts'

export const removeWhitelistedIps = defineRoute({
  operationId: 'removeWhitelistedIps',
  method: 'DELETE',
  path: whitelistedIpsPath,
  family: 'configuration',
  summary: 'Remove addresses from the list',
  description: 'All of them or none: an address that is not on the list refuses the request.',
  limit: whitelistedIpsLimit,
  body: z.object({
    ips: listUpTo(10, z.object({ ip: IpText }), 1),
  }),
  response: { status: 200, description: 'The list after the change.', body: ChangedWhitelistBody },
  examples: whitelistedIpExamples.remove,
  failures: ['NOT_FOUND'],

  async handle({ account, body }, { whitelist }) {
    const blocks = body.ips.map(({ ip }) => ip)
    return toChangedWhitelist(
      await whitelist.remove(account.id, blocks),
      'Whitelisted IPs removed.',
    )
  },
})

import { z } from 'zod'
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

export const updateWhitelistedIp = defineRoute({
  operationId: 'updateWhitelistedIp',
  method: 'PUT',
  path: whitelistedIpsPath,
  family: 'configuration',
  summary: 'Change the description of a whitelisted address',
  limit: whitelistedIpsLimit,
  body: z.object({ ip: IpText, description: DescriptionText }),
  response: { status: 200, description: 'The list after the change.', body: ChangedWhitelistBody },
  examples: whitelistedIpExamples.update,
  failures: ['NOT_FOUND'],

  async handle({ account, body }, { whitelist }) {
    const entry = { block: body.ip, description: body.description }
    return toChangedWhitelist(
      await whitelist.describe(account.id, entry),
      'Whitelisted IPs updated.',
    )
  },
})

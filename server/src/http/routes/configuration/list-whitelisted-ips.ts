import {
  toWhitelist,
  WhitelistBody,
  whitelistedIpsLimit,
  whitelistedIpsPath,
} from '../../../wire/configuration/whitelisted-ips.ts'
import { whitelistedIpExamples } from '../../../wire/webhooks/examples.ts'
import { defineRoute } from '../../route.ts'

export const listWhitelistedIps = defineRoute({
  operationId: 'listWhitelistedIps',
  method: 'GET',
  path: whitelistedIpsPath,
  family: 'configuration',
  summary: 'List the addresses that need no credentials',
  limit: whitelistedIpsLimit,
  response: { status: 200, description: 'The list.', body: WhitelistBody },
  examples: whitelistedIpExamples.list,
  handle: async ({ account }, { whitelist }) => toWhitelist(await whitelist.list(account.id)),
})

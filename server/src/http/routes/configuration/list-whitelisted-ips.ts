import { defineRoute } from '../../route.ts'
import { whitelistedIpExamples } from '../../webhook-examples.ts'
import {
  toWhitelist,
  WhitelistBody,
  whitelistedIpsLimit,
  whitelistedIpsPath,
} from '../../whitelisted-ip-bodies.ts'

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

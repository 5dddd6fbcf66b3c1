import { z } from 'zod'
import { listUpTo } from '../../domain/scrape/option-kinds.ts'
import {
  ChangedWhitelistBody,
  DescriptionText,
  IpText,
  toChangedWhitelist,
  toWhitelist,
  WhitelistBody,
  whitelistedIpsLimit,
  whitelistedIpsPath,
} from '../../wire/configuration/whitelisted-ips.ts'
import { whitelistedIpExamples } from '../../wire/webhooks/examples.ts'
import { defineRoute, type Route } from '../route.ts'

const listWhitelistedIps = defineRoute('configuration', {
  operationId: 'listWhitelistedIps',
  request: `GET ${whitelistedIpsPath}`,
  summary: 'List the addresses that need no credentials',
  limit: whitelistedIpsLimit,
  response: { description: 'The list.', body: WhitelistBody },
  examples: whitelistedIpExamples.list,
  handle: async ({ account }, { whitelist }) => toWhitelist(await whitelist.list(account.id)),
})

const addWhitelistedIps = defineRoute('configuration', {
  operationId: 'addWhitelistedIps',
  request: `POST ${whitelistedIpsPath}`,
  summary: 'Add addresses that need no credentials',
  description:
    'All of them or none: an address that is on the list already refuses the request, and so does a block wider than /16 (IPv4) or /32 (IPv6).',
  limit: whitelistedIpsLimit,
  body: z.object({
    ips: listUpTo(10, z.object({ ip: IpText, description: DescriptionText.default('') }), 1),
  }),
  response: { description: 'The list after the change.', body: ChangedWhitelistBody },
  examples: whitelistedIpExamples.add,

  async handle({ account, body }, { whitelist }) {
    const entries = body.ips.map(({ ip, description }) => ({ block: ip, description }))
    return toChangedWhitelist(await whitelist.add(account.id, entries), 'Whitelisted IPs saved.')
  },
})

const updateWhitelistedIp = defineRoute('configuration', {
  operationId: 'updateWhitelistedIp',
  request: `PUT ${whitelistedIpsPath}`,
  summary: 'Change the description of a whitelisted address',
  limit: whitelistedIpsLimit,
  body: z.object({ ip: IpText, description: DescriptionText }),
  response: { description: 'The list after the change.', body: ChangedWhitelistBody },
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

const removeWhitelistedIps = defineRoute('configuration', {
  operationId: 'removeWhitelistedIps',
  request: `DELETE ${whitelistedIpsPath}`,
  summary: 'Remove addresses from the list',
  description: 'All of them or none: an address that is not on the list refuses the request.',
  limit: whitelistedIpsLimit,
  body: z.object({
    ips: listUpTo(10, z.object({ ip: IpText }), 1),
  }),
  response: { description: 'The list after the change.', body: ChangedWhitelistBody },
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

export const whitelistedIpRoutes: readonly Route[] = [
  listWhitelistedIps,
  addWhitelistedIps,
  updateWhitelistedIp,
  removeWhitelistedIps,
]

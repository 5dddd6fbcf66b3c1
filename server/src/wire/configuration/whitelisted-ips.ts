import { z } from 'zod'
import type { WhitelistedIp } from '../../domain/account/whitelisted-ip.ts'
import { storableText } from '../../domain/storable-text.ts'
import { canonicalBlock } from '../../runtime/ip-block.ts'

/** Path, bodies and rate limit that the routes of the whitelisted IPs share. */

export const whitelistedIpsPath = '/api/configuration/active/whitelisted-ips'

export const whitelistedIpsLimit = {
  name: 'whitelisted-ips',
  requestsMax: 100,
  windowSeconds: 60,
}

export const IpText = z
  .string()
  .max(64)
  .transform((text, issues) => {
    const block = canonicalBlock(text)
    if (block !== undefined) return block
    issues.addIssue({ code: 'custom', message: 'Input should be an IP address or a CIDR block' })
    return z.NEVER
  })
  .describe('An IPv4 or IPv6 address, or a CIDR block.')

export const DescriptionText = storableText(255).describe('Free text.')

const Entry = z.object({
  ip: z.string().describe('In canonical form.'),
  description: z.string(),
  _id: z.string().describe('24 hexadecimal digits, given by the service.'),
})

export const WhitelistBody = z
  .object({ data: z.array(Entry).describe('The whole list, oldest first.') })
  .meta({ id: 'WhitelistedIps' })

export const ChangedWhitelistBody = WhitelistBody.extend({
  message: z.object({
    title: z.string(),
    body: z.string(),
    variant: z.string().describe('`success`.'),
  }),
}).meta({ id: 'ChangedWhitelistedIps' })

export const toWhitelist = (entries: WhitelistedIp[]): z.input<typeof WhitelistBody> => ({
  data: entries.map(({ id, block, description }) => ({ ip: block, description, _id: id })),
})

export const toChangedWhitelist = (
  entries: WhitelistedIp[],
  body: string,
): z.input<typeof ChangedWhitelistBody> => ({
  ...toWhitelist(entries),
  message: { title: 'Updated', body, variant: 'success' },
})

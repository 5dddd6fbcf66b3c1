import { z } from 'zod'
import { passwordCharactersMin } from './domain/account/account.ts'
import { isSigningSecret } from './domain/delivery/signing-secret.ts'
import { readProxyList } from './domain/proxy/read-proxy-list.ts'
import type { DiskFreeMin } from './domain/service/disk-space.ts'
import { canonicalBlock } from './runtime/ip-block.ts'
import { kind, listOf, text } from './runtime/settings/setting-kinds.ts'
import { parseBytes } from './runtime/units.ts'
import { roles as roleNames } from './wire/service/responses.ts'

/** Kinds of settings for domain values; `runtime/settings/setting-kinds.ts` has the general ones. */

export const roles = listOf(roleNames.join(', '), (item) => roleNames.find((role) => role === item))

export const egressRules = listOf('CIDR blocks, or callback=CIDR, target=CIDR', (item) => {
  const [, purpose, given = ''] = /^(?:(callback|target)=)?(.*)$/.exec(item) ?? []
  const block = canonicalBlock(given)
  return block === undefined
    ? undefined
    : { purpose: purpose as 'callback' | 'target' | undefined, block }
})

export const diskFreeMin = kind(
  'a share such as 5% or a size such as 2gb',
  (given): DiskFreeMin | undefined => {
    const [, percent] = /^(\d{1,2}(?:\.\d{1,3})?)\s*%$/.exec(given.trim()) ?? []
    if (percent !== undefined) return { share: Number(percent) / 100 }
    const size = parseBytes(given)
    return size === undefined ? undefined : { bytes: size }
  },
)

export const proxies = z.string().transform((given, issues) => {
  const read = readProxyList(given)
  if ('proxies' in read) return read.proxies
  issues.addIssue(read.problem)
  return z.NEVER
})

export const password = text.refine(
  (given) => given.length >= passwordCharactersMin,
  `must have ${passwordCharactersMin} characters or more`,
)

export const signingSecret = text.refine(
  isSigningSecret,
  'must be whsec_ and 24 to 64 bytes in base64, or a text of 24 characters or more',
)

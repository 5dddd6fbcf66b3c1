import type { AuthMethods } from '../accounts/authenticator.ts'

/** Routes that belong together: one section of the reference, one rule about who may call. */
interface Family {
  title: string
  description: string
  /** Which credentials open it beside name and password; undefined is open to everyone. */
  admission: AuthMethods | undefined
  /** Whether errors carry `error`, the text older clients of this family look for. */
  hasErrorText: boolean
}

export const families = {
  service: {
    title: 'Service',
    description: 'The state of the service itself; no credentials.',
    admission: undefined,
    hasErrorText: false,
  },
  configuration: {
    title: 'Whitelisted IPs',
    description:
      'Addresses that need no credentials. HTTP Basic with the name and password of the account.',
    admission: { byKey: false, byAddress: false },
    hasErrorText: true,
  },
  scraper: {
    title: 'Scrape',
    description:
      'Fetch a page, now or later. HTTP Basic, `X-Api-Key`, `Authorization: Bearer`, or none from a whitelisted address.',
    admission: { byKey: true, byAddress: true },
    hasErrorText: false,
  },
  extract: {
    title: 'Extract jobs',
    description:
      'Single tasks as `/v1` shows them. `X-Api-Key`, `Authorization: Bearer`, HTTP Basic, or none from a whitelisted address.',
    admission: { byKey: true, byAddress: true },
    hasErrorText: false,
  },
  webhooks: {
    title: 'Webhooks',
    description:
      'Standing wishes to hear of events. `X-Api-Key`, `Authorization: Bearer` or HTTP Basic.',
    admission: { byKey: true, byAddress: false },
    hasErrorText: false,
  },
} satisfies Record<string, Family>

export type FamilyName = keyof typeof families

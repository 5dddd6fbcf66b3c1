import type { AuthMethods } from '../accounts/authenticator.ts'

/** A group of routes: one section (OpenAPI tag) of the reference, with the same authentication. */
interface Family {
  title: string
  description: string
  /** The credentials it accepts beside user name and password; undefined needs none. */
  authMethods: AuthMethods | undefined
  /** Whether errors have the field `error`, which older clients of these routes read. */
  hasErrorText?: true
  /** Only the first account may call; all others get 403. */
  isForOperator?: true
}

const byKeyOrAddress = (title: string, about: string) => ({
  title,
  description: `${about} \`X-Api-Key\`, \`Authorization: Bearer\`, HTTP Basic, or none from a whitelisted address.`,
  authMethods: { byKey: true, byAddress: true },
})

const byKey = (title: string, about: string) => ({
  title,
  description: `${about} \`X-Api-Key\`, \`Authorization: Bearer\` or HTTP Basic.`,
  authMethods: { byKey: true, byAddress: false },
})

const byPassword = { byKey: false, byAddress: false }

export const families = {
  service: {
    title: 'Service',
    description: 'The state of the service itself; no credentials.',
    authMethods: undefined,
  },
  configuration: {
    title: 'Whitelisted IPs',
    description:
      'Addresses that need no credentials. HTTP Basic with the name and password of the account.',
    authMethods: byPassword,
    hasErrorText: true,
  },
  scraper: {
    title: 'Scrape',
    description:
      'Fetch a page, now or later. HTTP Basic, `X-Api-Key`, `Authorization: Bearer`, or none from a whitelisted address.',
    authMethods: { byKey: true, byAddress: true },
  },
  extract: byKeyOrAddress('Extract jobs', 'Single tasks as `/v1` shows them.'),
  batch: byKeyOrAddress('Batches', 'Many pages as one job.'),
  crawl: byKeyOrAddress('Crawls', 'A site, link by link, as one job.'),
  map: byKeyOrAddress('Maps', 'The URLs of a site.'),
  jobs: byKeyOrAddress('Jobs', 'Batches, crawls and maps alike.'),
  session: {
    title: 'Session',
    description:
      'Signing in from a browser: a cookie instead of credentials with every request. Once signed in, any credential but an address.',
    authMethods: { byKey: true, byAddress: false },
  },
  tasks: byKey('Tasks', 'Every task of the account, pages of jobs as well.'),
  events: byKey('Events', 'What happens to the tasks and jobs of the account, as it happens.'),
  keys: {
    title: 'API keys',
    description:
      'The keys of the account. HTTP Basic with its name and password: a key that leaked must not create others.',
    authMethods: byPassword,
  },
  usage: byKey('Statistics and usage', 'What the account has used, by day and now.'),
  search: byKey('Search', 'Web search; no search engine is configured yet.'),
  mcp: byKey('MCP', 'The tools of the Model Context Protocol, for language models.'),
  operator: {
    ...byKey('Operator', 'The whole service, for the first account only.'),
    isForOperator: true,
  },
  webhooks: byKey('Webhooks', 'Subscriptions to events.'),
} satisfies Record<string, Family>

export type FamilyName = keyof typeof families

const familyOf = (name: FamilyName): Family => families[name]

export const isForOperator = (name: FamilyName): boolean => familyOf(name).isForOperator === true

export const hasErrorText = (name: FamilyName): boolean => familyOf(name).hasErrorText === true

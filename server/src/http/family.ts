import type { AuthMethods } from '../accounts/authenticator.ts'

/** A group of routes: one section (OpenAPI tag) of the reference, with the same authentication. */
interface Family {
  title: string
  description: string
  /** The credentials it accepts beside user name and password; undefined needs none. */
  authMethods: AuthMethods | undefined
  /** Whether errors have the field `error`, which older clients of these routes read. */
  hasErrorText: boolean
  /** Only the first account may call; all others get 403. */
  isForOperator?: true
}

export const families = {
  service: {
    title: 'Service',
    description: 'The state of the service itself; no credentials.',
    authMethods: undefined,
    hasErrorText: false,
  },
  configuration: {
    title: 'Whitelisted IPs',
    description:
      'Addresses that need no credentials. HTTP Basic with the name and password of the account.',
    authMethods: { byKey: false, byAddress: false },
    hasErrorText: true,
  },
  scraper: {
    title: 'Scrape',
    description:
      'Fetch a page, now or later. HTTP Basic, `X-Api-Key`, `Authorization: Bearer`, or none from a whitelisted address.',
    authMethods: { byKey: true, byAddress: true },
    hasErrorText: false,
  },
  extract: {
    title: 'Extract jobs',
    description:
      'Single tasks as `/v1` shows them. `X-Api-Key`, `Authorization: Bearer`, HTTP Basic, or none from a whitelisted address.',
    authMethods: { byKey: true, byAddress: true },
    hasErrorText: false,
  },
  batch: {
    title: 'Batches',
    description:
      'Many pages as one job. `X-Api-Key`, `Authorization: Bearer`, HTTP Basic, or none from a whitelisted address.',
    authMethods: { byKey: true, byAddress: true },
    hasErrorText: false,
  },
  crawl: {
    title: 'Crawls',
    description:
      'A site, link by link, as one job. `X-Api-Key`, `Authorization: Bearer`, HTTP Basic, or none from a whitelisted address.',
    authMethods: { byKey: true, byAddress: true },
    hasErrorText: false,
  },
  map: {
    title: 'Maps',
    description:
      'The URLs of a site. `X-Api-Key`, `Authorization: Bearer`, HTTP Basic, or none from a whitelisted address.',
    authMethods: { byKey: true, byAddress: true },
    hasErrorText: false,
  },
  jobs: {
    title: 'Jobs',
    description:
      'Batches, crawls and maps alike. `X-Api-Key`, `Authorization: Bearer`, HTTP Basic, or none from a whitelisted address.',
    authMethods: { byKey: true, byAddress: true },
    hasErrorText: false,
  },
  session: {
    title: 'Session',
    description:
      'Signing in from a browser: a cookie instead of credentials with every request. Once signed in, any credential but an address.',
    authMethods: { byKey: true, byAddress: false },
    hasErrorText: false,
  },
  tasks: {
    title: 'Tasks',
    description:
      'Every task of the account, pages of jobs as well. `X-Api-Key`, `Authorization: Bearer` or HTTP Basic.',
    authMethods: { byKey: true, byAddress: false },
    hasErrorText: false,
  },
  events: {
    title: 'Events',
    description:
      'What happens to the tasks and jobs of the account, as it happens. `X-Api-Key`, `Authorization: Bearer` or HTTP Basic.',
    authMethods: { byKey: true, byAddress: false },
    hasErrorText: false,
  },
  keys: {
    title: 'API keys',
    description:
      'The keys of the account. HTTP Basic with its name and password: a key that leaked must not create others.',
    authMethods: { byKey: false, byAddress: false },
    hasErrorText: false,
  },
  usage: {
    title: 'Statistics and usage',
    description:
      'What the account has used, by day and now. `X-Api-Key`, `Authorization: Bearer` or HTTP Basic.',
    authMethods: { byKey: true, byAddress: false },
    hasErrorText: false,
  },
  search: {
    title: 'Search',
    description:
      'Web search; no search engine is configured yet. `X-Api-Key`, `Authorization: Bearer` or HTTP Basic.',
    authMethods: { byKey: true, byAddress: false },
    hasErrorText: false,
  },
  mcp: {
    title: 'MCP',
    description:
      'The tools of the Model Context Protocol, for language models. `X-Api-Key`, `Authorization: Bearer` or HTTP Basic.',
    authMethods: { byKey: true, byAddress: false },
    hasErrorText: false,
  },
  operator: {
    title: 'Operator',
    description:
      'The whole service, for the first account only. `X-Api-Key`, `Authorization: Bearer` or HTTP Basic.',
    authMethods: { byKey: true, byAddress: false },
    hasErrorText: false,
    isForOperator: true,
  },
  webhooks: {
    title: 'Webhooks',
    description: 'Subscriptions to events. `X-Api-Key`, `Authorization: Bearer` or HTTP Basic.',
    authMethods: { byKey: true, byAddress: false },
    hasErrorText: false,
  },
} satisfies Record<string, Family>

export type FamilyName = keyof typeof families

export const isForOperator = (name: FamilyName): boolean =>
  (families[name] as Family).isForOperator === true

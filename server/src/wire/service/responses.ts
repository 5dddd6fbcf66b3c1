import { z } from 'zod'
import type { BrowserFacts } from '../../domain/service/health.ts'

/** What any caller may know of the browser. */
export const BrowserCapability = z.object({
  state: z
    .enum(['absent', 'installing', 'broken', 'ready'])
    .describe('`ready` also where only another worker has one; then the rest is null.'),
  version: z.string().nullable(),
  flavor: z.enum(['shell', 'chrome']).nullable(),
  sandbox: z.enum(['on', 'off']).nullable().describe('Null until it was started.'),
  opens_pages: z
    .boolean()
    .nullable()
    .describe('Whether a page could be opened, tried no longer than half a minute ago.'),
})

/** Field by field, as the route needs no credentials: a new fact is not shown to everyone by itself. */
export const browserCapability = ({
  state,
  version,
  flavor,
  sandbox,
  opensPages,
}: BrowserFacts): z.infer<typeof BrowserCapability> => ({
  state,
  version,
  flavor,
  sandbox,
  opens_pages: opensPages,
})

/** What any caller may know of the proxies: neither their labels nor their addresses. */
const ProxiesCapability = z.object({
  total: z.int().describe('0: connections are direct.'),
  residential: z.int(),
  datacenter: z.int(),
  countries: z.array(z.string()).describe('ISO 3166-1 alpha-2, of those that have one.'),
  any_country: z.boolean().describe('Whether some are in whatever country is asked for.'),
  cooling_down: z.int().describe('Those that refused lately and are chosen last, by this process.'),
})

/** What a process can be for; by default it is for all of it. */
export const roles = ['api', 'worker', 'delivery'] as const

/** What this service can do right now, for clients that want to know before they ask. */
export const Capabilities = z
  .object({
    service: z.literal('trawl'),
    version: z.string(),
    store: z.enum(['sqlite', 'postgres']),
    roles: z.array(z.enum(roles)),
    engines: z.object({
      browser: BrowserCapability.describe('Chromium, for tasks that need a browser.'),
    }),
    proxies: ProxiesCapability,
    limits: z.object({
      body_bytes_max: z.int().describe('Largest request body taken.'),
    }),
  })
  .meta({ id: 'Capabilities' })

export type Capabilities = z.infer<typeof Capabilities>

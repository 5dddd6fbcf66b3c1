import { z } from 'zod'

/** What this service can do right now, for clients that want to know before they ask. */
export const Capabilities = z
  .object({
    service: z.literal('trawl'),
    version: z.string(),
    store: z.enum(['sqlite', 'postgres']),
    roles: z.array(z.enum(['api', 'worker', 'delivery'])),
    engines: z.object({
      browser: z
        .object({
          state: z.enum(['absent', 'installing', 'ready']),
          version: z.string().nullable(),
          flavor: z.enum(['shell', 'chrome']).nullable(),
        })
        .describe('Chromium, for tasks that need a browser.'),
    }),
    limits: z.object({
      body_bytes_max: z.int().describe('Largest request body taken.'),
    }),
  })
  .meta({ id: 'Capabilities' })

export type Capabilities = z.infer<typeof Capabilities>

import { z } from 'zod'
import { lanes } from '../../domain/task/lane.ts'
import { BrowserCapability, roles } from '../service/responses.ts'

const time = z.string().describe('ISO 8601, UTC.')
const bytes = z.int()

export const LaneLoad = z
  .object({
    waiting: z.int().describe('How many wait to be run, over all processes on the store.'),
    running: z.int(),
    oldest_age_seconds: z
      .number()
      .describe('How long the oldest that no worker has begun has been waiting.'),
  })
  .meta({ id: 'LaneLoad' })

const Process = z.object({
  id: z.uuid(),
  is_this: z.boolean().describe('Whether it gave this response.'),
  started_at: time,
  last_seen_at: time.describe('Its last heartbeat; one that is minutes old is of a dead process.'),
  lanes: z
    .array(z.object({ lane: z.enum(lanes), slots: z.int() }))
    .describe('What it works on, and how much of it at once.'),
  listens_on: z.array(z.string()).describe('Addresses with ports.'),
})

const Check = z.object({
  name: z.string(),
  status: z.enum(['ok', 'warning', 'broken']),
  detail: z.string(),
  fix: z.string().nullable().describe('What a person can do about it.'),
})

/** The whole service as its operator sees it. */
export const System = z
  .object({
    version: z.string(),
    started_at: time.describe('When this process started.'),
    uptime_seconds: z.int(),
    roles: z.array(z.enum(roles)).describe('Of this process.'),
    store: z.object({
      kind: z.enum(['sqlite', 'postgres']),
      bytes: bytes.describe('What it takes on its disk, without its write-ahead log.'),
    }),
    disk: z
      .object({ free_bytes: bytes, total_bytes: bytes })
      .nullable()
      .describe('The volume of the data folder; null where there is none.'),
    browser: BrowserCapability,
    processes: z.array(Process).describe('All that use the store, the oldest first.'),
    queue: z
      .object({ http: LaneLoad, browser: LaneLoad, delivery: LaneLoad })
      .describe('Of the whole store, about a second old.'),
    settings: z
      .array(z.object({ name: z.string(), value: z.string(), origin: z.string() }))
      .describe('Of this process, as `trawl config` prints them: secrets are masked.'),
    checks: z
      .array(Check)
      .describe('Those of `trawl doctor` that take no time and reach nothing outside.'),
  })
  .meta({ id: 'System' })

export type System = z.infer<typeof System>

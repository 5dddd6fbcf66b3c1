import { z } from 'zod'
import type { AdmissionReport } from '../../../tasks/admission-control.ts'
import { defineRoute } from '../../route.ts'

const LaneDepth = z.object({
  waiting: z.int().describe('What waits for its turn, for every process on the store.'),
  running: z.int(),
  oldest_age_seconds: z
    .number()
    .describe('How long the next in line that nobody has begun has been waiting.'),
})

const Pressure = z
  .object({
    accepting: z.boolean().describe('Whether new work is taken now.'),
    code: z.string().nullable().describe('The code it is refused with, if it is.'),
    message: z.string().nullable(),
    queue: z.object({
      max: z.int().describe('Tasks that may wait or run, in all.'),
      account_max: z.int().describe('The same of one account.'),
      lanes: z.object({ http: LaneDepth, browser: LaneDepth, delivery: LaneDepth }),
    }),
    event_loop: z.object({
      delay_ms: z.number().describe('How late it is, 99th percentile of the last seconds.'),
      busy_share: z.number().describe('Of the time, what it did not spend waiting.'),
    }),
    memory: z.object({
      resident_bytes: z.int(),
      resident_bytes_max: z.int(),
      heap_share: z.number().describe('Of the heap that the runtime may have.'),
    }),
    disk: z.object({
      free_share: z
        .number()
        .nullable()
        .describe("Of the data folder's volume, where there is one."),
      low: z.boolean().describe('Whether new work is refused because of it.'),
    }),
    store: z.object({
      answering: z.boolean(),
      wait_ms: z.number().describe('For how long a call has been waiting for its turn.'),
    }),
  })
  .meta({ id: 'Pressure' })

export const getPressure = defineRoute({
  operationId: 'getPressure',
  method: 'GET',
  path: '/pressure',
  family: 'service',
  summary: 'Is new work taken, and how close are the limits?',
  description: 'Counts are of about a second ago. Answers 200 also while new work is refused.',
  answer: { status: 200, description: 'What this process knows.', body: Pressure },
  handle: (_request, { intake }) => toPressure(intake.report()),
})

function toPressure({
  refusal,
  load,
  disk,
  limits,
  lanes,
}: AdmissionReport): z.input<typeof Pressure> {
  const depth = (lane: keyof typeof lanes) => ({
    waiting: lanes[lane].waiting,
    running: lanes[lane].running,
    oldest_age_seconds: lanes[lane].oldestAgeMs / 1_000,
  })
  return {
    accepting: refusal === undefined,
    code: refusal?.code ?? null,
    message: refusal?.message ?? null,
    queue: {
      max: limits.queueMax,
      account_max: limits.accountQueueMax,
      lanes: { http: depth('http'), browser: depth('browser'), delivery: depth('delivery') },
    },
    event_loop: {
      delay_ms: Math.round(load.eventLoopDelayMs),
      busy_share: Math.round(load.eventLoopShare * 100) / 100,
    },
    memory: {
      resident_bytes: load.residentBytes,
      resident_bytes_max: Math.round(limits.residentBytesMax),
      heap_share: Math.round(load.heapShare * 100) / 100,
    },
    disk: {
      free_share: disk ? Math.round((disk.freeBytes / disk.totalBytes) * 1000) / 1000 : null,
      low: load.isDiskLow,
    },
    store: { answering: load.isStoreAnswering, wait_ms: Math.round(load.storeWaitMs) },
  }
}

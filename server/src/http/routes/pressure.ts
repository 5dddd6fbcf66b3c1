import { z } from 'zod'
import type { AdmissionReport } from '../../tasks/admission-control.ts'
import { LaneLoad } from '../../wire/operator/responses.ts'
import { defineRoute, type Route } from '../route.ts'

const Pressure = z
  .object({
    accepting: z.boolean().describe('Whether new work is accepted now.'),
    code: z.string().nullable().describe('The code it is refused with, if it is.'),
    message: z.string().nullable(),
    queue: z.object({
      max: z.int().describe('Tasks that may wait or run, in total.'),
      account_max: z.int().describe('The same for one account.'),
      lanes: z.object({ http: LaneLoad, browser: LaneLoad, delivery: LaneLoad }),
    }),
    event_loop: z.object({
      delay_ms: z.number().describe('Event loop delay, 99th percentile of the last seconds.'),
      busy_share: z.number().describe('Event loop utilization, 0 to 1.'),
    }),
    memory: z.object({
      resident_bytes: z.int(),
      resident_bytes_max: z.int(),
      heap_share: z.number().describe('Share of the heap limit in use.'),
    }),
    disk: z.object({
      free_share: z
        .number()
        .nullable()
        .describe("Free share of the data folder's volume; null if unknown."),
      low: z.boolean().describe('Whether new work is refused because of it.'),
    }),
    store: z.object({
      answering: z.boolean(),
      wait_ms: z.number().describe('How long the oldest waiting call has been queued.'),
    }),
  })
  .meta({ id: 'Pressure' })

const idleLane = { waiting: 0, running: 0, oldest_age_seconds: 0 }

const getPressure = defineRoute('service', {
  operationId: 'getPressure',
  request: 'GET /pressure',
  summary: 'Is new work accepted, and how close are the limits?',
  description: 'Counts are about a second old. The status is 200 also while new work is refused.',
  response: {
    description: 'The load and the limits of this process.',
    body: Pressure,
  },
  examples: {
    idle: {
      summary: 'An idle service',
      response: {
        accepting: true,
        code: null,
        message: null,
        queue: {
          max: 200_000,
          account_max: 100_000,
          lanes: { http: idleLane, browser: idleLane, delivery: idleLane },
        },
        event_loop: { delay_ms: 11, busy_share: 0.02 },
        memory: {
          resident_bytes: 214_958_080,
          resident_bytes_max: 6_442_450_944,
          heap_share: 0.03,
        },
        disk: { free_share: 0.61, low: false },
        store: { answering: true, wait_ms: 0 },
      },
    },
  },
  handle: (_request, { admissionControl }) => toPressure(admissionControl.report()),
})

function toPressure(report: AdmissionReport): z.input<typeof Pressure> {
  const { refusal, load, disk, limits, lanes } = report
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

export const pressureRoutes: readonly Route[] = [getPressure]

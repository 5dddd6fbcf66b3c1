import { z } from 'zod'
import { jobId, time } from '../jobs/responses.ts'
import { ExtractionErrorCode, TaskStatus } from '../named-enums.ts'
import { pageFields } from '../pagination.ts'

const MapLink = z
  .object({ url: z.string(), source: z.enum(['sitemap', 'html']) })
  .meta({ id: 'MapLink' })

export const SiteMap = z
  .object({
    success: z.literal(true),
    links: z.array(MapLink).describe('Each URL once.'),
    metadata: z.object({ url: z.string(), links_count: z.int(), duration_ms: z.int() }),
    warning: z.string().nullable().describe('Why links may be missing.'),
  })
  .meta({ id: 'SiteMap' })

const MapJobItem = z
  .object({
    job_id: jobId,
    url: z.string(),
    search: z.string().nullable(),
    status: TaskStatus,
    include_subdomains: z.boolean(),
    ignore_query_parameters: z.boolean(),
    links_count: z.int(),
    error_code: ExtractionErrorCode.nullable(),
    error_message: z.string().nullable(),
    duration_ms: z.int(),
    created_at: time,
    completed_at: time.nullable(),
    tokens_charged: z.int(),
  })
  .meta({ id: 'MapJobItem' })

export const MapJob = MapJobItem.extend({
  links: z.array(MapLink).describe('Empty once the result is no longer kept.'),
}).meta({ id: 'MapJob' })

export const MapJobList = z
  .object({ jobs: z.array(MapJobItem), ...pageFields })
  .meta({ id: 'MapJobList' })

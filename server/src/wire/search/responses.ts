import { z } from 'zod'
import { TaskStatus } from '../named-enums.ts'

export const safeLevels = ['off', 'moderate', 'strict'] as const
export const timeRanges = ['day', 'week', 'month', 'year'] as const

export const SearchListItem = z
  .object({
    job_id: z.uuid(),
    query: z.string(),
    status: TaskStatus,
    results_count: z.int(),
    duration_ms: z.int().nullable(),
    error_code: z.string().nullable(),
    created_at: z.string(),
    completed_at: z.string().nullable(),
  })
  .meta({ id: 'SearchListItem' })

export const SearchHit = z
  .object({
    position: z.int().describe('The rank on the page, from 1.'),
    title: z.string(),
    url: z.string(),
    snippet: z.string(),
  })
  .meta({ id: 'SearchHit' })

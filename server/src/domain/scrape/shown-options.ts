import { z } from 'zod'
import { publicFormats, waitStates } from './extract-options.ts'

/** Options of a request as results and jobs repeat them. */
export const shownOptions = {
  formats: z.array(z.enum(publicFormats)).describe('Those of the two that were asked for.'),
  headers: z.record(z.string(), z.string()).nullable().describe('As given, `***` for credentials.'),
  wait_config: z
    .object({
      wait_until: z.enum(waitStates).nullish(),
      wait_for: z.string().nullish(),
      wait_timeout: z.int().nullish(),
    })
    .meta({ id: 'WaitConfig' })
    .nullable(),
}

import { z } from 'zod'
import { checkExtractOptions, extractOptionFields, mergeTwins } from './extract-options.ts'
import { httpUrl, withoutUnset } from './option-kinds.ts'

export const processingModes = ['sync', 'async'] as const
export type ProcessingMode = (typeof processingModes)[number]

/** The body of an extraction. Unknown fields are ignored. */
export const ExtractRequest = withoutUnset(
  z.preprocess(
    mergeTwins,
    z
      .object({
        url: httpUrl(8192).describe('The page: absolute, http or https.'),
        processing_mode: z
          .enum(processingModes)
          .default('sync')
          .describe(
            '`sync`: the response is the result. `async`: the response is the id of a job.',
          ),
        ...extractOptionFields(['html']),
      })
      .superRefine(checkExtractOptions),
  ),
).meta({ id: 'ExtractRequest' })

export type ExtractRequest = z.output<typeof ExtractRequest>

import { z } from 'zod'

/** Free text that every store returns unchanged. */
export const storableText = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    // PostgreSQL cannot store U+0000, and half a surrogate pair has no UTF-8.
    .refine((text) => text.isWellFormed() && !text.includes('\0'), {
      params: { type: 'string_unicode' },
      message: 'Input should be well-formed Unicode without the null character',
    })

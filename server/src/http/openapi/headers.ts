import type { HeaderObject } from './document.ts'

const text = { type: 'string' }

export const responseHeaders = {
  'X-Request-Id': {
    description: 'Names the request in the log; the `correlation_id` of an error.',
    schema: text,
  },
  'X-Job-Id': { description: 'The id of the job.', schema: { type: 'string', format: 'uuid' } },
  'Set-Cookie': { description: 'The session: `trawl_session`.', schema: text },
  Location: { description: 'The path at which the task or job can be followed.', schema: text },
  'Idempotency-Replayed': {
    description: '`true` where the response repeats that of an earlier request with the same key.',
    schema: text,
  },
  'Retry-After': {
    description: 'After how many seconds it makes sense to repeat the request.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: text },
  RateLimit: {
    description: 'What is left of the limit (`r`), and after how many seconds it is whole (`t`).',
    schema: text,
  },
  'RateLimit-Policy': {
    description: 'The limit: how many requests (`q`) in how many seconds (`w`).',
    schema: text,
  },
  'X-Target-Status': {
    description: 'The status with which the target responded.',
    schema: { type: 'integer' },
  },
  'X-Target-Url': { description: 'The URL after every redirect.', schema: text },
  'X-Engine': {
    description: 'The engine that fetched the page.',
    schema: { type: 'string', enum: ['http', 'browser'] },
  },
  'X-Attempts': { description: 'How many attempts were made.', schema: { type: 'integer' } },
} satisfies Record<string, HeaderObject>

export type ResponseHeaderName = keyof typeof responseHeaders

export const headerReferences = (names: readonly ResponseHeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

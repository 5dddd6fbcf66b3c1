import { Failure } from '../domain/failure.ts'
import type { EngineRequest } from '../domain/scrape/scrape-request.ts'

const storedOptionsBytesMax = 8 * 2 ** 20
/** Ordinary options have less. */
const alwaysAllowedBytes = 8 * 2 ** 10

/** Each task stores its own copy of the options, so a small body could fill memory and disk. */
export function requireModestOptions(request: EngineRequest, taskCount: number): void {
  const bytesMax = Math.max(alwaysAllowedBytes, Math.floor(storedOptionsBytesMax / taskCount))
  if (Buffer.byteLength(JSON.stringify({ ...request, url: '' })) <= bytesMax) return
  throw new Failure(
    'PAYLOAD_TOO_LARGE',
    `Options are stored with each page; those of ${taskCount} pages may have ${bytesMax} bytes.`,
  )
}

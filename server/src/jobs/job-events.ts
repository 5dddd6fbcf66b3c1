import type { Delivery } from '../domain/delivery/delivery.ts'
import type { JobEnd } from '../domain/job/job.ts'
import { isoTime } from '../runtime/iso-time.ts'
import { bytesOf, type JsonPieces, joined, spliceJson } from '../runtime/splice-json.ts'
import { getJob, type JobView } from '../storage/tables/jobs.ts'
import { jobPath } from '../wire/jobs/to-responses.ts'
import { jobKindRules } from './job-kind-rules.ts'
import { type JobResultsParts, jobOutcomes } from './job-results.ts'

// As for single tasks: receivers often limit the size of a request body.
const postedBytesMax = 8 * 1024 * 1024

export interface JobEventParts extends Pick<JobResultsParts, 'db' | 'sealer'> {
  publicUrl(): string
}

/** The body (payload) of a delivery about the end of a job; undefined once the job is deleted. */
export async function jobDeliveryBody(
  parts: JobEventParts,
  { id, subject, webhook, createdAtMs }: Delivery,
): Promise<Uint8Array | undefined> {
  const [job] = await parts.db.run(getJob(parts.sealer, subject.id))
  if (!job || subject.kind !== 'job') return undefined
  const before = {
    event: jobKindRules[job.kind].event,
    webhook_id: webhook?.id ?? null,
    delivery_id: id,
    timestamp: isoTime(createdAtMs),
  }
  // A job that runs again by now, or did, has other counts and results than at the end in question.
  const isLastEnd = job.completedAtMs === createdAtMs
  const whole = isLastEnd ? await withOutcomes(parts, job) : undefined
  return joined(spliceJson(before, 'data', whole ?? [thin(parts, job, subject.end)]))
}

/** The job with what became of each page, without their contents; undefined if that is too much. */
async function withOutcomes(parts: JobEventParts, job: JobView): Promise<JsonPieces | undefined> {
  const outcomes: Buffer[] = []
  let bytes = 0
  for await (const outcome of jobOutcomes(parts, job.id)) {
    const text = Buffer.from(JSON.stringify(outcome))
    bytes += text.byteLength + 1
    if (bytes > postedBytesMax) return undefined
    if (outcomes.length > 0) outcomes.push(comma)
    outcomes.push(text)
  }
  const whole = spliceJson(jobKindRules[job.kind].head(job), 'results', [
    opening,
    ...outcomes,
    closing,
  ])
  return bytesOf(whole) <= postedBytesMax ? whole : undefined
}

const [opening, comma, closing] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')]

function thin({ publicUrl }: JobEventParts, job: JobView, end: JobEnd): Buffer {
  const result_url = `${publicUrl()}${jobPath(job)}`
  return Buffer.from(JSON.stringify({ job_id: job.id, status: end, result_url }))
}

import { RouteResponse } from '../route.ts'

interface AcceptedWork {
  /** Where the work can be followed. */
  location: string
  /** The id as `/v1` names it. */
  jobId?: string
  /** The work is that of an earlier request with the same idempotency key. */
  isReplay: boolean
}

/** The response to a request for work that is done later. */
export const acceptedResponse = (
  body: object,
  { location, jobId, isReplay }: AcceptedWork,
): RouteResponse =>
  new RouteResponse(body, {
    status: 202,
    headers: {
      location,
      ...(jobId !== undefined && { 'x-job-id': jobId }),
      ...(isReplay && { 'idempotency-replayed': 'true' }),
    },
  })

import type { EngineRequest } from '../scrape/scrape-request.ts'
import type { Task } from './task.ts'

/**
 * A text that is the same for requests of one account that a cached result answers alike; undefined for
 * a request that is never answered from the cache.
 */
export function cacheSubject({
  accountId,
  request,
}: Pick<Task, 'accountId' | 'request'>): string | undefined {
  const { purpose, ...fetched } = request
  if (!('extract' in purpose) || (fetched.target && fetched.target.method !== 'GET'))
    return undefined
  // The response depends on the cookies that the session has at the moment.
  if (fetched.session !== undefined) return undefined
  const { formats, isMainContentOnly, hasLinks, renderJs, rules } = purpose.extract
  return canonicalJson([
    accountId,
    whatIsFetched(fetched),
    { formats: formats.toSorted(), isMainContentOnly, hasLinks, renderJs, rules },
  ])
}

/** What the caller only sees again (`proxy`, `headers`) is in these fields as it takes effect. */
const whatIsFetched = ({ url, isProxied, timeoutMs, retryOf, ...others }: EngineRequest) => ({
  ...others,
  url: new URL(url).href,
})

/** JSON with sorted keys, so that the order in which a caller wrote them does not matter. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** Whether a response with this status may answer later requests. */
export const isCacheableStatus = (statusCode: number): boolean =>
  statusCode >= 200 && statusCode <= 299

/**
 * Flows are what takes turns in a lane (fair queueing): the accounts first, then what an account has,
 * each flow in the order of its entries. A flow is named by its account, its job and its concurrency
 * key, so that a backlog of one delays no other.
 */
export interface Flow {
  name: string
  accountId: string
  concurrencyKey: string | undefined
}

export interface FlowMembers {
  accountId: string
  jobId?: string | undefined
  concurrencyKey?: string | undefined
}

/** Ids hold no slash, so the key, which may be a URL, comes last. */
export const flowName = ({ accountId, jobId = '', concurrencyKey = '' }: FlowMembers): string =>
  `${accountId}/${jobId}/${concurrencyKey}`

export function readFlow(name: string): Flow {
  const [accountId = '', jobId = ''] = name.split('/', 2)
  const concurrencyKey = name.slice(accountId.length + jobId.length + 2)
  return { name, accountId, concurrencyKey: concurrencyKey || undefined }
}

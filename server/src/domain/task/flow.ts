/**
 * Flows take turns in a lane (fair queueing, round robin): first the accounts, then the flows of an
 * account, each flow first in, first out. A flow is named by its account, its job and its concurrency
 * key, so that the backlog of one delays no other.
 */
export interface Flow {
  name: string
  accountId: string
  concurrencyKey: string | undefined
  suspicion: Suspicion
}

/** How often a process died with the entries of a flow: twice means that they run alone. */
export type Suspicion = 'none' | 'once' | 'twice'

/** Precedes the job in the name of a flow, once for each crash. */
export const suspicionMark = '~'

const suspicionOf: Readonly<Record<string, Suspicion>> = {
  [suspicionMark]: 'once',
  [suspicionMark.repeat(2)]: 'twice',
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
  const concurrencyKey = name.slice(accountId.length + jobId.length + 2) || undefined
  const [marks = ''] = /^~*/.exec(jobId) ?? []
  return { name, accountId, concurrencyKey, suspicion: suspicionOf[marks] ?? 'none' }
}

/** The flow of the same account and job, with the same suspicion, under another concurrency key. */
export const withKey = (name: string, concurrencyKey: string | undefined): string => {
  const [accountId = '', jobId] = name.split('/', 2)
  return flowName({ accountId, jobId, concurrencyKey })
}

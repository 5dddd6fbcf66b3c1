/** An upstream proxy of the operator's list. */
export interface ListedProxy {
  /** Identifies the proxy in results, metrics and logs, without credentials. */
  label: string
  type: 'residential' | 'datacenter'
  /** ISO 3166-1 alpha-2 in capitals; null where it is unknown or part of the user name. */
  country: string | null
  protocol: 'http' | 'https' | 'socks5'
  /** As a socket takes it: an IPv6 address without brackets. */
  host: string
  port: number
  /** The name may contain `{country}` and `{session}`, which each attempt fills in. */
  user: ProxyUser | undefined
}

export interface ProxyUser {
  name: string
  password: string
}

/** What brings an attempt to the exit of an earlier one: a proxy, and the value of its `{session}`. */
export interface KeptProxy {
  label: string
  session: string
}

/** A proxy as one attempt uses it, with every placeholder filled in. */
export interface ProxyRoute
  extends Pick<ListedProxy, 'label' | 'protocol' | 'host' | 'port' | 'user'> {
  /** The user name has a session of this attempt or of few, so the pool keeps none of its connections. */
  isForOneAttempt?: boolean
}

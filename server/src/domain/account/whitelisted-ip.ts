/** An address, or a block of them, that needs no credentials. */
export interface WhitelistedIp {
  id: string
  /** In canonical form. */
  block: string
  description: string
}

export const whitelistEntriesMax = 150

/** A wider block would take in the addresses of strangers. */
export const whitelistShortestPrefix = { ipv4: 16, ipv6: 32 }

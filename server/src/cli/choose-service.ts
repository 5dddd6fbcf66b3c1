/** What is known about services and keys. */
export interface KnownServices {
  /** `--server` and `--api-key`. */
  flags: { server?: string | undefined; apiKey?: string | undefined }
  /** `TRAWL_URL` and `TRAWL_API_KEY`. */
  environment: { server: string | undefined; apiKey: string | undefined }
  profile: { server: string; apiKey: string } | undefined
  /** The service on this machine; the first address is the one to call. */
  local: { servers: readonly [string, ...string[]]; apiKey: string | undefined }
}

/** A service and the key that it gets. */
export interface ChosenService {
  server: string
  apiKey: string | undefined
}

/**
 * Chooses the service and the key of a command. A key that was kept for one service is never sent to
 * another; one that was given for this command goes to the service of this command.
 */
export function chooseService({
  flags,
  environment,
  profile,
  local,
}: KnownServices): ChosenService {
  const server = flags.server ?? environment.server ?? profile?.server ?? local.servers[0]
  const kept = [
    ...(profile ? [profile] : []),
    ...local.servers.map((one) => ({ server: one, apiKey: local.apiKey })),
  ]
  const own = kept.find((one) => one.apiKey !== undefined && isSameServer(one.server, server))
  return { server, apiKey: flags.apiKey ?? environment.apiKey ?? own?.apiKey }
}

/** Scheme, host and port are the same; the names of the loopback address count as one. */
export function isSameServer(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => {
    const { protocol, hostname, port } = new URL(text)
    return `${protocol}//${loopbackNames.has(hostname) ? 'localhost' : hostname}:${port}`
  })
  return first === second
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

export interface KnownServices {
  /** `--server` and `--api-key`. */
  flags: { server?: string | undefined; apiKey?: string | undefined }
  /** `TRAWL_URL`, and the key with the variable that has it. */
  environment: {
    server: string | undefined
    apiKey: string | undefined
    keyVariable?: string | undefined
  }
  profile: { server: string; apiKey: string } | undefined
  /** The service on this machine; the first address is the one to call. */
  local: { servers: readonly [string, ...string[]]; apiKey: string | undefined }
}

/** A service, the key that it gets, and where that is from, for messages. */
export type ChosenService = ReturnType<typeof chooseService>

/**
 * Chooses the service and the key of a command. A key that was kept for one service is never sent to
 * another; one that was given for this command goes to the service of this command.
 */
export function chooseService({ flags, environment, profile, local }: KnownServices) {
  const server = flags.server ?? environment.server ?? profile?.server ?? local.servers[0]
  const kept = [
    ...(profile ? [{ ...profile, keyOrigin: 'the profile' }] : []),
    ...local.servers.map((one) => ({ server: one, apiKey: local.apiKey, keyOrigin: localKey })),
  ]
  const keys = [
    { apiKey: flags.apiKey, keyOrigin: '--api-key' },
    { apiKey: environment.apiKey, keyOrigin: environment.keyVariable },
    ...kept.filter((one) => isSameServer(one.server, server)),
  ]
  const chosen = keys.find(({ apiKey }) => apiKey !== undefined)
  return { server, apiKey: chosen?.apiKey, keyOrigin: chosen?.keyOrigin }
}

const localKey = 'the service on this machine'

/** Scheme, host and port are the same; the names of the loopback address count as one. */
export function isSameServer(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => {
    const { protocol, hostname, port } = new URL(text)
    return `${protocol}//${loopbackNames.has(hostname) ? 'localhost' : hostname}:${port}`
  })
  return first === second
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

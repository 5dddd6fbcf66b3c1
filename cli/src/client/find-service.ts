import { networkInterfaces } from 'node:os'
import { type ChosenService, chooseService } from './choose-service.ts'
import { BadSettings, readLocalCredentials, readLocalSettings } from './local-settings.ts'
import { readProfile } from './profile.ts'
import { readRunningUrl } from './running-url.ts'
import { isLoopback, isServerUrl, localServer, type ServiceFlags } from './service-options.ts'

/** The service that a command calls and the key for it: flags, environment, profile, this machine. */
export function findService(flags: ServiceFlags): ChosenService {
  const settings = readLocalSettings(flags)
  const { apiKey } = readLocalCredentials(settings)
  const { url, keyVariable, settingsFolder, port } = settings
  if (url !== undefined && !isServerUrl(url)) {
    throw new BadSettings('TRAWL_URL must be a URL such as http://127.0.0.1:8080.')
  }
  const running = readRunningUrl(settings.dataDir)
  return chooseService({
    flags,
    environment: { server: url, apiKey: keyVariable && settings.apiKey, keyVariable },
    profile: readProfile(settingsFolder),
    local: { servers: serversHere([running, localServer(settings)], port), apiKey },
  })
}

/**
 * Those that are on this machine. What a folder says that was merely entered must not choose who gets a
 * key.
 */
function serversHere(
  servers: readonly (string | undefined)[],
  port: number,
): readonly [string, ...string[]] {
  const own = new Set(
    Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .map(({ address }) => address),
  )
  const here = servers.filter((server) => {
    if (server === undefined) return false
    const host = new URL(server).hostname.replace(/^\[|\]$/g, '')
    return isLoopback(host) || own.has(host)
  }) as string[]
  const [first = `http://127.0.0.1:${port === 0 ? 8080 : port}`, ...others] = here
  return [first, ...others]
}

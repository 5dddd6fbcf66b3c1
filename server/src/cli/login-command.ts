import { type Command, localServer, readRunningUrl } from '../../../cli/src/index.ts'
import { createSignInLink } from '../accounts/sign-in-links.ts'
import type { Config } from '../config.ts'
import { accountOf, withAccountOption } from './account-option.ts'
import { onStore } from './on-store.ts'

export function addLoginCommand(program: Command): void {
  onStore(
    withAccountOption(program.command('login')).description(
      'print a link that signs in to the dashboard of the service on this machine, once, within 15 minutes',
    ),
    async ({ db }, given) => {
      const { username } = await accountOf(db, given)
      const link = await createSignInLink(db, { username, origin: dashboardOrigin(given.config) })
      return { url: link.url, account: username, expires_at: toIso(link.expiresAtMs) }
    },
  )
}

function dashboardOrigin(config: Config): string {
  const running = config.http.publicUrl ?? readRunningUrl(config.store.dataDir)
  return running ?? localServer(config.http)
}

const toIso = (ms: number): string => new Date(ms).toISOString()

import { type Command, localServer, readRunningUrl } from '../../../cli/src/index.ts'
import { createSignInLink } from '../accounts/sign-in-links.ts'
import { onAccount } from './on-store.ts'

export function addLoginCommand(program: Command): void {
  onAccount(
    program
      .command('login')
      .description(
        'print a link that signs in to the dashboard of the service on this machine, once, within 15 minutes',
      ),
    async ({ db }, { username }, { config: { http, store } }) => {
      const origin = http.publicUrl ?? readRunningUrl(store.dataDir) ?? localServer(http)
      const { url, expiresAtMs } = await createSignInLink(db, { username, origin })
      return { url, account: username, expires_at: new Date(expiresAtMs).toISOString() }
    },
  )
}

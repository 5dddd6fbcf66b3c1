import { type Command, localServer, readRunningUrl } from '../../../cli/src/index.ts'
import {
  changePassword,
  createAccount,
  enableAccount,
  requireFirstAccount,
  rotateCallbackSecret,
} from '../accounts/accounts.ts'
import { createSignInLink } from '../accounts/sign-in-links.ts'
import { listAccounts } from '../storage/tables/accounts.ts'
import { onAccount, onStore } from './on-store.ts'

export function addAccountsCommand(program: Command): void {
  const accounts = program
    .command('accounts')
    .description('manage accounts, also beside a running service')

  onStore<[name: string]>(
    accounts.command('create <name>').description('create an account, print its credentials once'),
    async (store, { args: [username] }) => {
      await requireFirstAccount(store.db)
      const { password, apiKey, callbackSecret } = await createAccount(store, { username })
      return { username, password, api_key: apiKey, callback_secret: callbackSecret }
    },
  )
  onStore(accounts.command('list').alias('ls').description('list the accounts'), async ({ db }) =>
    (await db.run(listAccounts())).map(({ username, isEnabled, createdAtMs }) => ({
      username,
      enabled: isEnabled,
      created_at: new Date(createdAtMs).toISOString(),
    })),
  )
  const switches = { enable: true, disable: false }
  for (const [verb, isEnabled] of Object.entries(switches)) {
    onStore<[name: string]>(
      accounts.command(`${verb} <name>`).description(`${verb} an account; takes effect within 3 s`),
      async ({ db }, { args: [username] }) => {
        await enableAccount(db, username, isEnabled)
        return { username, enabled: isEnabled }
      },
    )
  }
  onStore<[name: string]>(
    accounts.command('passwd <name>').description('give an account a new, generated password'),
    async ({ db }, { args: [username] }) => ({
      username,
      password: await changePassword(db, username),
    }),
  )
  onStore<[name: string]>(
    accounts
      .command('rotate-secret <name>')
      .description('give an account a new callback secret; the old one stays valid for 24 h'),
    async (store, { args: [username] }) => ({
      username,
      callback_secret: await rotateCallbackSecret(store, username),
    }),
  )
}

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

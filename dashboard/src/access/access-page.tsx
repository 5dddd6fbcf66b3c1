import { useCurrentSession } from '../session/current-session.ts'
import { ApiKeyList } from './api-keys.tsx'
import { AllowedAddresses } from './whitelisted-ips.tsx'

/** Who may use the account: its keys, and the addresses that need none. */
export function AccessPage() {
  const { session } = useCurrentSession()
  if (!session?.opens_access) {
    return (
      <div className="empty">
        <h2>An API key does not open this page</h2>
        <p>
          You have signed in with a key. A key that leaked must not create others or revoke yours,
          so keys and addresses are managed with the password: sign out, and sign in with account
          name and password.
        </p>
      </div>
    )
  }
  return (
    <>
      <ApiKeyList />
      <AllowedAddresses />
    </>
  )
}

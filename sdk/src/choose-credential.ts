import type { ClientSettings, Credential } from './client-options.ts'

// The only routes that a key does not open.
const needPassword = /^\/(v1\/keys|api\/configuration)\b/

interface ChosenCredential {
  isPassword: boolean
  origin: string
  header: Record<string, string>
}

/** The credential that a call is sent with. */
export function chooseCredential(
  path: string,
  { apiKey, basic }: ClientSettings,
): ChosenCredential | undefined {
  if (basic && (needPassword.test(path) || !apiKey)) {
    return { isPassword: true, ...as('authorization', basic) }
  }
  return apiKey && { isPassword: false, ...as('x-api-key', apiKey) }
}

const as = (name: string, { value, origin }: Credential) => ({ origin, header: { [name]: value } })

/** What a 401 means for a call: the service does not know how this client got its credentials. */
export function describeRefusal(path: string, settings: ClientSettings): string {
  const sent = chooseCredential(path, settings)
  if (path.startsWith('/v1/session') || (!sent && settings.isOfPage)) return ''
  if (!sent?.isPassword && needPassword.test(path)) {
    return ' Keys do not open this: give username and password, or set TRAWL_PASSWORD.'
  }
  return sent ? ` ${sent.origin} was refused.` : ' Give apiKey, or set TRAWL_API_KEY.'
}

import type { ListedProxy, ProxyRoute } from './proxy.ts'

/** The placeholders that an operator may write in a user name, as proxy vendors expect it. */
export const proxyPlaceholders = ['{country}', '{session}'] as const

/** The length of a session id: letters and digits, which every vendor accepts. */
export const sessionCharacters = 12

/** Whether the proxy has an exit in any country that a task requires. */
export const servesAnyCountry = ({ user }: Pick<ListedProxy, 'user'>): boolean =>
  user?.name.includes('{country}') ?? false

/** The proxy as one attempt uses it: in the required country, or else in its own. */
export function fillProxyTemplate(
  proxy: ListedProxy,
  wanted: { country: string | null; session: string },
): ProxyRoute {
  const { label, protocol, host, port, user } = proxy
  const country = wanted.country ?? proxy.country
  if (country === null && servesAnyCountry(proxy)) {
    throw new Error('A proxy that needs a country was chosen without one.')
  }
  const filled = { country: country ?? '', session: wanted.session }
  return {
    label,
    protocol,
    host,
    port,
    user: user && { ...user, name: fillUserName(user.name, filled) },
    isForOneAttempt: user?.name.includes('{session}') ?? false,
  }
}

/** Fills in the country in lower case, as most vendors expect it. */
export const fillUserName = (
  name: string,
  { country, session }: { country: string; session: string },
): string => name.replaceAll('{country}', country.toLowerCase()).replaceAll('{session}', session)

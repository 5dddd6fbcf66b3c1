import type { ListedProxy, ProxyRoute } from './proxy.ts'

/** What vendors want to have in a user name, as an operator writes it. */
export const proxyPlaceholders = ['{country}', '{session}'] as const

/** Letters and digits: no vendor's name is broken by them. */
export const sessionCharacters = 12

/** Whether it is wherever it is asked to be. */
export const isAnywhere = ({ user }: Pick<ListedProxy, 'user'>): boolean =>
  user?.name.includes('{country}') ?? false

/** The proxy as one attempt uses it: in the country asked for, or else in its own. */
export function fillProxyTemplate(
  proxy: ListedProxy,
  wanted: { country: string | null; session: string },
): ProxyRoute {
  const { label, protocol, host, port, user } = proxy
  const country = wanted.country ?? proxy.country
  if (country === null && isAnywhere(proxy)) {
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

/** The country in lower case, as most vendors want it. */
export const fillUserName = (
  name: string,
  { country, session }: { country: string; session: string },
): string => name.replaceAll('{country}', country.toLowerCase()).replaceAll('{session}', session)

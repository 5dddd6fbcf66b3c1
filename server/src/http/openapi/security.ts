import { authMethodsOf, type Route } from '../route.ts'
import type { SecurityRequirement, SecurityScheme } from './document.ts'

export const securitySchemes = {
  basicAuth: {
    type: 'http',
    scheme: 'basic',
    description: 'User name and password of the account, in UTF-8.',
  },
  apiKeyAuth: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'An API key of the account.',
  },
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same API key as `Authorization: Bearer`.',
  },
  sessionAuth: {
    type: 'apiKey',
    in: 'cookie',
    name: 'trawl_session',
    description: 'A session, which opens what the credential opens that it was begun with.',
  },
  signedLink: {
    type: 'apiKey',
    in: 'query',
    name: 'signature',
    description: 'Comes with a link in a result and opens that link alone.',
  },
} satisfies Record<string, SecurityScheme>

type SchemeName = keyof typeof securitySchemes

const byPassword: SchemeName[] = ['basicAuth', 'sessionAuth']
const byKey: SchemeName[] = ['apiKeyAuth', 'bearerAuth']
const byLink: SchemeName[] = ['signedLink']

/** The security requirements of a route, from the same table that authentication uses. */
export function describeSecurity(route: Route): SecurityRequirement[] {
  const methods = authMethodsOf(route)
  if (!methods) return []
  const { findLinkOwner } = route
  const names = [...byPassword, ...(methods.byKey ? byKey : []), ...(findLinkOwner ? byLink : [])]
  // A whitelisted address needs no credentials, which OpenAPI writes as an empty requirement.
  return [...names.map((name) => ({ [name]: [] })), ...(methods.byAddress ? [{}] : [])]
}

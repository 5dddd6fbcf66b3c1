import type { Account } from '../domain/account/account.ts'
import type { Route } from './route.ts'

/** The handler of a route. Where accounts take turns, it waits for that of the caller. */
export function handlerOf(route: Route): Route['handle'] {
  if (!route.takesTurns) return (request, useCases) => route.handle(request, useCases)
  return (request, useCases) => {
    // The type of a route's declaration says whether there is an account.
    const { id: accountId } = request.account as Account
    const read = async () => route.handle(request, useCases)
    return useCases.readingTurns.take(read, { accountId, signal: request.disconnected })
  }
}

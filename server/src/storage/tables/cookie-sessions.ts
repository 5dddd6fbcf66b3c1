import type { CookieSession } from '../../domain/scrape/cookie-session.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import { openColumn, sealColumn } from '../secrets/sealed-columns.ts'
import { type Statement, skipLocked, sql } from '../statement.ts'

export interface CookieSessionPlace {
  accountId: string
  name: string
}

/** Returns the session unless it was not used since then, and counts this as a use. */
export const useCookieSession = (
  sealer: Sealer,
  place: CookieSessionPlace,
  times: { nowMs: number; usedSinceMs: number },
): Statement<CookieSession> =>
  sql<{ contents: string }>`
    update sessions set last_used_at_ms = ${times.nowMs}
    where account_id = ${place.accountId} and name = ${place.name}
      and last_used_at_ms >= ${times.usedSinceMs}
    returning contents`.map(({ contents }) =>
    JSON.parse(openColumn(sealer, column, sealedPlace(place), contents)),
  )

/** The last write wins. */
export function putCookieSession(
  sealer: Sealer,
  place: CookieSessionPlace,
  { session, nowMs }: { session: CookieSession; nowMs: number },
): Statement<never> {
  const contents = sealColumn(sealer, column, sealedPlace(place), JSON.stringify(session))
  return sql<never>`
    insert into sessions (account_id, name, contents, last_used_at_ms)
    values (${place.accountId}, ${place.name}, ${contents}, ${nowMs})
    on conflict (account_id, name) do update
    set contents = excluded.contents, last_used_at_ms = excluded.last_used_at_ms`
}

/** Keeps so many of the account's sessions, the last used. Locked ones are in use, so they stay. */
export const evictCookieSessions = (limits: {
  accountId: string
  keptMax: number
}): Statement<never> =>
  sql<never>`
    delete from sessions
    where account_id = ${limits.accountId} and name in (
      select name from sessions where account_id = ${limits.accountId}
      order by last_used_at_ms desc, name limit 100 offset ${limits.keptMax} ${skipLocked})`

/** Removes some of the sessions that were not used since then; returns a row for each. */
export const pruneCookieSessions = (limits: { usedBeforeMs: number; sessionsMax: number }) =>
  sql<{ name: string }>`
    delete from sessions
    where (account_id, name) in (
      select account_id, name from sessions where last_used_at_ms < ${limits.usedBeforeMs}
      order by last_used_at_ms limit ${limits.sessionsMax} ${skipLocked})
    returning name`

const column = 'sessions.contents'

const sealedPlace = ({ accountId, name }: CookieSessionPlace) => ({ id: name, accountId })

import {
  type CookieSession,
  newCookieSession,
  sessionKeptMs,
  sessionsMax,
} from '../domain/scrape/cookie-session.ts'
import type { Task } from '../domain/task/task.ts'
import { CannotUnseal, type Sealer } from '../runtime/crypto/seal.ts'
import type { Database } from '../storage/database.ts'
import { requireStoreKey } from '../storage/secrets/key-rotation.ts'
import type { Statement } from '../storage/statement.ts'
import {
  evictCookieSessions,
  putCookieSession,
  useCookieSession,
} from '../storage/tables/cookie-sessions.ts'

interface SessionParts {
  db: Database
  sealer: Sealer
}

type SessionTask = Pick<Task, 'accountId' | 'request'>

/** The session that a task names, as it is now; undefined if it names none. */
export async function loadCookieSession(
  parts: SessionParts,
  { accountId, request: { session: name } }: SessionTask,
): Promise<Readonly<CookieSession> | undefined> {
  if (name === undefined) return undefined
  const { db } = parts
  const nowMs = db.nowMs()
  const times = { nowMs, usedSinceMs: nowMs - sessionKeptMs }
  try {
    const [session] = await db.run(useCookieSession(parts.sealer, { accountId, name }, times))
    if (session) return session
  } catch (error) {
    if (!(error instanceof CannotUnseal)) throw error
    // The key is lost, so the session is too, unless another process has the key.
    await requireStoreKey(parts)
  }
  // Room for the new one. It is a commit of its own, so that no lock on the sessions of others is held
  // while a task is settled, which could deadlock.
  await db.run(evictCookieSessions({ accountId, keptMax: sessionsMax - 1 }))
  return newCookieSession
}

/** For the transaction that settles an attempt; nothing without a session or without a response. */
export function saveCookieSession(
  { db, sealer }: SessionParts,
  { accountId, request: { session: name } }: SessionTask,
  session: CookieSession | undefined,
): Statement<unknown>[] {
  if (name === undefined || !session) return []
  return [putCookieSession(sealer, { accountId, name }, { session, nowMs: db.nowMs() })]
}

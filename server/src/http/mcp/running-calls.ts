import type { McpRequest } from './mcp-exchange.ts'

interface CallPlace {
  accountId: string
  /** Undefined for clients that cancel by disconnecting. */
  session: string | undefined
  requestId: string | number
  cancelled: AbortController
}

// A call holds its output in memory while it is written; waiting calls hold little.
const accountCallsMax = 256

/** The calls that run: how many of each account, and which can be cancelled by a message of its own. */
export class RunningCalls {
  readonly #counts = new Map<string, number>()
  readonly #cancellable = new Map<string, AbortController>()

  /** Undefined if the account has too many already. Disposing it ends the call. */
  tryStart({ accountId, session, requestId, cancelled }: CallPlace): Disposable | undefined {
    const count = this.#counts.get(accountId) ?? 0
    if (count >= accountCallsMax) return undefined
    this.#counts.set(accountId, count + 1)
    const key = session === undefined ? undefined : keyOf({ accountId, session, requestId })
    if (key !== undefined) this.#cancellable.set(key, cancelled)
    return {
      [Symbol.dispose]: () => {
        const left = (this.#counts.get(accountId) ?? 1) - 1
        if (left === 0) this.#counts.delete(accountId)
        else this.#counts.set(accountId, left)
        if (key !== undefined && this.#cancellable.get(key) === cancelled)
          this.#cancellable.delete(key)
      },
    }
  }

  /** Cancels the call that a `notifications/cancelled` of the same session names. */
  cancelNamedBy(
    { account, message }: Pick<McpRequest, 'account' | 'message'>,
    session: string | undefined,
  ): void {
    if (session === undefined || message['method'] !== 'notifications/cancelled') return
    const { requestId } = (message['params'] ?? {}) as { requestId?: unknown }
    this.#cancellable.get(keyOf({ accountId: account.id, session, requestId }))?.abort()
  }
}

/** The number 1 and the text "1" are different ids. */
const keyOf = (place: { accountId: string; session: string; requestId: unknown }): string =>
  JSON.stringify([place.accountId, place.session, place.requestId])

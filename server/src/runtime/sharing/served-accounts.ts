/** How long an account counts after its last request. */
const servedForMs = 1_000

/** Whether several accounts are being served: one that is alone may take what it likes. */
export class ServedAccounts {
  #lastId: string | undefined
  #areSeveralUntilMs = 0

  /** To be told of each request. */
  notice(accountId: string): void {
    if (accountId === this.#lastId) return
    if (this.#lastId !== undefined) this.#areSeveralUntilMs = performance.now() + servedForMs
    this.#lastId = accountId
  }

  get areSeveral(): boolean {
    return performance.now() < this.#areSeveralUntilMs
  }
}

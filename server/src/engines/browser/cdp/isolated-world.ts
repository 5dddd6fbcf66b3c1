import { CdpError, type CdpSession } from './cdp-connection.ts'

const worldName = 'trawl'

/**
 * Runs our scripts in the page's document, in an isolated world that the page's scripts can neither
 * see nor change. A navigation destroys the world; the next call creates another.
 */
export class IsolatedWorld {
  readonly #session: CdpSession
  readonly #frameId: string
  #contextId: number | undefined

  constructor(session: CdpSession, frameId: string) {
    this.#session = session
    this.#frameId = frameId
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id === frameId) this.#contextId = undefined
    })
  }

  /** Returns the value as JSON. Throws the script's error, or a `CdpError` during a navigation. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const known = this.#contextId
    if (known === undefined) return await this.#evaluateIn(await this.#create(), expression)
    try {
      return await this.#evaluateIn(known, expression)
    } catch (error) {
      // The known world may belong to the previous document.
      if (!(error instanceof CdpError)) throw error
      return await this.#evaluateIn(await this.#create(), expression)
    }
  }

  async #evaluateIn<Value>(contextId: number, expression: string): Promise<Value> {
    const { result, exceptionDetails } = await this.#session.send('Runtime.evaluate', {
      expression,
      contextId,
      returnByValue: true,
      awaitPromise: true,
    })
    if (!exceptionDetails) return result.value
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  }

  async #create(): Promise<number> {
    const { executionContextId } = await this.#session.send('Page.createIsolatedWorld', {
      frameId: this.#frameId,
      worldName,
    })
    this.#contextId = executionContextId
    return executionContextId
  }
}

import { CdpError, type CdpSession } from './cdp-connection.ts'

const worldName = 'trawl'

/**
 * Scripts of ours in the page's document, apart from the page's own, which cannot see or change what
 * they use. A document that goes away takes its world along; the next call makes another.
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

  /** The value of an expression, as JSON. Throws what it throws, or that its document is gone. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const known = this.#contextId
    if (known === undefined) return await this.#evaluateIn(await this.#make(), expression)
    try {
      return await this.#evaluateIn(known, expression)
    } catch (error) {
      // It may be the world of a document before this one.
      if (!(error instanceof CdpError)) throw error
      return await this.#evaluateIn(await this.#make(), expression)
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

  async #make(): Promise<number> {
    const { executionContextId } = await this.#session.send('Page.createIsolatedWorld', {
      frameId: this.#frameId,
      worldName,
    })
    this.#contextId = executionContextId
    return executionContextId
  }
}

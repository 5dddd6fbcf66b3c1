/** The store cannot be used and retrying will not help; the message tells the operator why. */
export class StoreRefused extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'StoreRefused'
  }
}

import type { Log } from '../../runtime/log.ts'

type OnNotice = (payload: string) => void

/** The listeners of this process by notification channel. */
export class NoticeListeners {
  readonly #log: Log
  readonly #byChannel = new Map<string, Set<OnNotice>>()

  constructor(log: Log) {
    this.#log = log
  }

  channels(): string[] {
    return [...this.#byChannel.keys()]
  }

  /** Returns a function that removes the listener and says whether it was the channel's last. */
  add(channel: string, onNotice: OnNotice): () => boolean {
    // Wrapped, so that a function added twice is called twice.
    const listener: OnNotice = (payload) => onNotice(payload)
    const listeners = this.#byChannel.get(channel) ?? new Set()
    this.#byChannel.set(channel, listeners.add(listener))
    return () => {
      const isLast = listeners.delete(listener) && listeners.size === 0
      if (isLast) this.#byChannel.delete(channel)
      return isLast
    }
  }

  deliver(channel: string, payload: string): void {
    for (const listener of [...(this.#byChannel.get(channel) ?? [])]) {
      try {
        listener(payload)
      } catch (error) {
        // One listener's bug must not keep the notification from the others.
        this.#log.error({ err: error, channel }, 'A notification listener threw an error.')
      }
    }
  }
}

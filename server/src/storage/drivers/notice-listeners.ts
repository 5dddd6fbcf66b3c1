import type { Log } from '../../runtime/log.ts'

type OnNotice = (payload: string) => void

/** Who listens on which channel in this process. */
export class NoticeListeners {
  readonly #log: Log
  readonly #byChannel = new Map<string, Set<OnNotice>>()

  constructor(log: Log) {
    this.#log = log
  }

  channels(): string[] {
    return [...this.#byChannel.keys()]
  }

  /** The function it returns ends the listening and says whether it was the channel's last. */
  add(channel: string, onNotice: OnNotice): () => boolean {
    // Wrapped, so that a function that listens twice is called twice.
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
        // One listener's bug must not keep the notice from the others.
        this.#log.error({ err: error, channel }, 'A listener threw.')
      }
    }
  }
}

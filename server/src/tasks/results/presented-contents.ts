import type { Task } from '../../domain/task/task.ts'
import type { Content } from '../../formats/present.ts'
import { AccountCache } from '../../runtime/sharing/account-cache.ts'
import { SharedWork } from '../../runtime/sharing/shared-work.ts'

/** What decides how the content of a result looks: a task and its result never change once it has ended. */
export interface AskedContent {
  task: Pick<Task, 'id' | 'accountId'>
  form: string
}

/**
 * The contents that readers of results got lately, in memory: converting a page of a megabyte takes a second
 * of a thread, and clients poll. Who asks must have found the result in the store at that moment, so that
 * nobody gets one that has been deleted or has expired.
 */
export class PresentedContents implements Disposable {
  readonly #cache = new AccountCache<Content>({ bytesMax, entryBytesMax: bytesMax / 4 })
  readonly #underWay = new SharedWork<Content | undefined>()
  readonly #sweeping = setInterval(() => this.#cache.dropUnused(), sweepIntervalMs).unref()

  /** `present` converts the page, for all who ask at this moment; undefined if there is none. */
  async get(
    { task: { id, accountId }, form }: AskedContent,
    present: (signal: AbortSignal) => Promise<Content | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<Content | undefined> {
    const key = `${id} ${form}`
    const cached = this.#cache.get(accountId, key)
    if (cached) return cached
    const presentOnce = async (ending: AbortSignal) => {
      const content = await present(ending)
      if (content)
        this.#cache.set(accountId, key, { value: content, bytes: bytesOfContent(content) })
      return content
    }
    return this.#underWay.run(`${accountId} ${key}`, presentOnce, signal)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sweeping)
    this.#cache.clear()
  }
}

const bytesMax = 32 * 2 ** 20

/** What nobody may read any more has left the memory after two of these. */
const sweepIntervalMs = 5 * 60_000

const bytesOfContent = ({ bytes, links }: Content): number =>
  [...(links?.links ?? []), ...(links?.followable ?? [])].reduce(
    (sum, link) => sum + link.length + bytesBesideText,
    bytes.buffer.byteLength + bytesBesideText,
  )

const bytesBesideText = 64

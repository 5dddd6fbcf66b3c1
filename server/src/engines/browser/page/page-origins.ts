/**
 * Which origins are the page's own (same-origin). During a navigation both the old and the new
 * origin count. A navigation that is never committed, as a download, changes nothing.
 */
export class PageOrigins {
  /** Pending navigations, oldest first, each with the origins of its redirects so far. */
  readonly #navigations = new Map<string, Set<string>>()
  #committed: string
  /** The navigation that has its response: from then on the committed origin does not count. */
  #responded: string | undefined
  #all: ReadonlySet<string>

  constructor(first: string) {
    this.#committed = first
    this.#all = new Set([first])
  }

  get all(): ReadonlySet<string> {
    return this.#all
  }

  startNavigation(documentId: string, origin: string): void {
    const visited = this.#navigations.get(documentId) ?? []
    this.#navigations.set(documentId, new Set([...visited, origin]))
    this.#update()
  }

  receiveResponse(documentId: string, origin: string): void {
    this.#navigations.set(documentId, new Set([origin]))
    this.#responded = documentId
    this.#update()
  }

  commit(documentId: string, origin: string): void {
    this.#committed = origin
    const ids = [...this.#navigations.keys()]
    // Navigations that started before this one have been replaced by it.
    for (const id of ids.slice(0, ids.indexOf(documentId) + 1)) this.#navigations.delete(id)
    this.#update()
  }

  cancel(documentId: string): void {
    if (this.#navigations.delete(documentId)) this.#update()
  }

  #update(): void {
    const isLeaving = this.#responded !== undefined && this.#navigations.has(this.#responded)
    this.#all = new Set([
      ...(isLeaving ? [] : [this.#committed]),
      ...[...this.#navigations.values()].flatMap((origins) => [...origins]),
    ])
  }
}

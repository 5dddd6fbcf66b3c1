/**
 * Which origins are the page's own. The main frame may go anywhere, and until it is there it is also
 * still where it came from. A document that never comes to be shown, as a download, changes nothing.
 */
export class PageOrigins {
  /** Documents on their way, oldest first, each with where it has been so far. */
  readonly #underWay = new Map<string, Set<string>>()
  #shown: string
  /** The document on its way that has been answered: from then on the one before it is of no account. */
  #answered: string | undefined
  #all: ReadonlySet<string>

  constructor(first: string) {
    this.#shown = first
    this.#all = new Set([first])
  }

  get all(): ReadonlySet<string> {
    return this.#all
  }

  goTo(documentId: string, origin: string): void {
    const been = this.#underWay.get(documentId)
    this.#underWay.set(documentId, new Set([...(been ?? []), origin]))
    this.#count()
  }

  answer(documentId: string, origin: string): void {
    this.#underWay.set(documentId, new Set([origin]))
    this.#answered = documentId
    this.#count()
  }

  show(documentId: string, origin: string): void {
    this.#shown = origin
    const ids = [...this.#underWay.keys()]
    // What set out before it will not come.
    for (const id of ids.slice(0, ids.indexOf(documentId) + 1)) this.#underWay.delete(id)
    this.#count()
  }

  giveUp(documentId: string): void {
    if (this.#underWay.delete(documentId)) this.#count()
  }

  #count(): void {
    const isLeaving = this.#answered !== undefined && this.#underWay.has(this.#answered)
    this.#all = new Set([
      ...(isLeaving ? [] : [this.#shown]),
      ...[...this.#underWay.values()].flatMap((origins) => [...origins]),
    ])
  }
}

import { Failure } from '../../domain/failure.ts'

/** An element with its text takes about 1 KB, and a content thread has 256 MB. */
const elementsMax = 150_000
export const depthMax = 1_500

/**
 * How many open elements the parser may look at in all. It searches them at each tag, so its time grows with
 * the square of the depth: within `depthMax` it could be 450 million, which takes some ten seconds. A page of
 * 150 000 elements at a depth of 300 takes less.
 */
const openLooksMax = 100_000_000

/** Each attribute is compared with all others of its tag. */
const attributesMax = 500

/** Refuses, while it is parsed, a page that would take too much time or memory. */
export class MarkupLimits {
  #elementCount = 0
  #commentCount = 0
  #depth = 0
  #openLooks = 0

  addTag(): void {
    this.#openLooks += this.#depth
    if (this.#openLooks > openLooksMax) throw tooComplex('is nested too deeply')
  }

  requireAttributes(count: number): void {
    if (count > attributesMax) throw tooComplex('has a tag with too many attributes')
  }

  addElement(): void {
    this.#elementCount += 1
    if (this.#elementCount > elementsMax) throw tooComplex('has too many elements')
  }

  addComment(): void {
    this.#commentCount += 1
    if (this.#commentCount > elementsMax) throw tooComplex('has too many comments')
  }

  openElement(): void {
    this.#depth += 1
    if (this.#depth > depthMax) throw tooComplex('is nested too deeply')
  }

  closeElement(): void {
    this.#depth -= 1
  }
}

export const tooComplex = (what: string): Failure =>
  new Failure('CONTENT_TOO_COMPLEX', `The page ${what} to be read; ask for its html.`)

/** What every page of a list says about itself. */
export interface ListPage {
  page: number
  page_size: number
  page_count: number
  /** There are more than were counted. */
  is_capped?: boolean | undefined
}

/**
 * A list of the service. Awaited, it is one page; iterated with `for await`, it is every item, page by page.
 * What is added meanwhile moves the rest down, so that an item can come twice.
 */
export class PagedList<Page extends ListPage, Item> implements PromiseLike<Page> {
  readonly #read: (page: number | undefined) => Promise<Page>
  readonly #itemsOf: (page: Page) => readonly Item[]
  #first: Promise<Page> | undefined

  constructor(
    read: (page: number | undefined) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
  ) {
    this.#read = read
    this.#itemsOf = itemsOf
  }

  /** Nothing is sent before the list is awaited or iterated. */
  // biome-ignore lint/suspicious/noThenProperty: a list that is awaited is its first page
  then<Kept = Page, Caught = never>(
    onPage?: ((page: Page) => Kept | PromiseLike<Kept>) | null,
    onError?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    return this.#firstPage().then(onPage, onError)
  }

  async *pages(): AsyncGenerator<Page, void, undefined> {
    let page = await this.#firstPage()
    for (;;) {
      yield page
      const isFull = this.#itemsOf(page).length >= page.page_size
      if (!isFull || (page.page >= page.page_count && !page.is_capped)) return
      page = await this.#read(page.page + 1)
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#itemsOf(page)
  }

  #firstPage(): Promise<Page> {
    this.#first ??= this.#read(undefined)
    return this.#first
  }
}

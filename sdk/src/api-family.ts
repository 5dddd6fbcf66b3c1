import { PagedList } from './paged-list.ts'
import type { Answer, CallInput, ListName, OperationName, Transport } from './transport.ts'

/** What the methods of every family of routes share. */
export class ApiFamily {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  protected call<Name extends OperationName>(name: Name, input: CallInput<Name>) {
    return this.#transport.call(name, input)
  }

  /** The same; `read` makes the result from the response. */
  protected send<Name extends OperationName, Result>(
    name: Name,
    input: CallInput<Name>,
    read: (response: Response) => Promise<Result> | Result,
  ): Promise<Result> {
    return this.#transport.send(name, input, read)
  }

  /** A list: one page if awaited, every item if iterated. */
  protected paged<Name extends ListName, Item>(
    name: Name,
    input: CallInput<Name>,
    itemsOf: (page: Answer<Name>) => readonly Item[],
  ): PagedList<Answer<Name>, Item> {
    const turned = (page: number | undefined) =>
      page === undefined ? input : { ...input, query: { ...input.query, page } }
    return new PagedList((page) => this.call(name, turned(page)), itemsOf)
  }
}

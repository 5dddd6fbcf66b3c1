import type { PlainCall } from '@trawl/sdk'
import type { Command } from 'commander'
import { type CallFlags, printCurl, requestService, withCallOptions } from '../client/on-service.ts'
import { say } from '../output/messages.ts'
import { indentJson, printJson, printResult } from '../output/print.ts'
import { openStdoutLines, ReaderGone } from '../output/write-output.ts'
import { wholeNumber } from './arguments.ts'

interface ListFlags extends CallFlags {
  page?: number
  pageSize?: number
  stream?: true
}

interface Page {
  page: number
  page_count: number
  [items: string]: unknown
}

const pageSizeMax = 100
const pagesMax = 1_000_000

/** What a page has unless the user says otherwise: it fits a screen. */
const pageSizeDefault = 20

/** Adds a list of the API: a page as a table or JSON, or with `--stream` every page, one item a line. */
export function addListCommand<Item, Options extends object>(
  parent: Command,
  list: {
    about: string
    /** The field of the response that has the items. */
    field: string
    configure?(command: Command): Command
    request(args: unknown[], options: Options): Pick<PlainCall, 'path' | 'query'>
    row(item: Item): Record<string, unknown>
  },
  name = 'list',
): void {
  const command = withCallOptions(parent.command(name))
    .description(list.about)
    .option('--page <number>', 'which page, from 1', wholeNumber(1, pagesMax))
    .option('--page-size <count>', 'how many a page has (default: 20)', wholeNumber(1, pageSizeMax))
    .option('--stream', 'every page, as NDJSON')
  if (name === 'list') command.alias('ls')
  ;(list.configure?.(command) ?? command).action(async () => {
    const options = command.opts<Options & ListFlags>()
    const asked = list.request(command.processedArgs, options)
    const request = (page: number, size: number): PlainCall => ({
      method: 'GET',
      path: asked.path,
      query: { ...asked.query, page, page_size: size },
    })
    const { page = 1, pageSize = pageSizeDefault } = options
    if (options.printCurl) return await printCurl(request(page, pageSize), options)
    if (options.stream) {
      return await printEveryPage(list.field, (number) =>
        readPage(request(number, pageSizeMax), options),
      )
    }
    const json = await (await requestService(request(page, pageSize), options)).text()
    if (options.json) return await printJson(indentJson(json), options)
    const body = JSON.parse(json) as Page
    await printResult((body[list.field] as Item[]).map(list.row), options)
    if (body.page_count > 1) say(`Page ${body.page} of ${body.page_count}; --page for others.`)
  })
}

const readPage = async (request: PlainCall, flags: CallFlags): Promise<Page> =>
  (await (await requestService(request, flags)).json()) as Page

async function printEveryPage(field: string, read: (page: number) => Promise<Page>): Promise<void> {
  using lines = openStdoutLines()
  try {
    for (let number = 1; ; number += 1) {
      const body = await read(number)
      for (const item of body[field] as object[]) await lines.write(JSON.stringify(item))
      if (number >= body.page_count) return
    }
  } catch (error) {
    if (!(error instanceof ReaderGone)) throw error
  }
}

import { Readable } from 'node:stream'
import type { PlainCall, SiteMap } from '@trawl/sdk'
import type { Command } from 'commander'
import {
  type CallFlags,
  printCurl,
  requestService,
  withPrintCurlOption,
} from '../client/on-service.ts'
import { withServiceOptions } from '../client/service-options.ts'
import { say } from '../output/messages.ts'
import { indentJson, printJson } from '../output/print.ts'
import { withProgress } from '../output/progress.ts'
import { counted } from '../output/table.ts'
import { printable } from '../output/terminal-text.ts'
import { writeOutput } from '../output/write-output.ts'

interface MapFlags extends CallFlags {
  search?: string
  subdomains?: true
  keepQuery?: true
}

/** The service stops looking after a minute; the rest is for the queue. */
const responseMsMax = 5 * 60_000

export function addMapCommand(program: Command): void {
  withPrintCurlOption(withServiceOptions(program.command('map <url>')))
    .description('list the URLs of a site from its sitemaps and the links of the page')
    .option('--search <text>', 'only URLs that contain this, in capitals or not')
    .option('--subdomains', 'those of subdomains too')
    .option('--keep-query', 'URLs that differ in their query only are different')
    .option('--json', 'the whole answer as one JSON document instead of a URL a line')
    .option('-o, --output <file>', 'write to a file instead of stdout')
    .addHelpText(
      'after',
      `
The list can be fetched at once: trawl map URL | trawl batch -

Exit codes: 0 ok, 1 failed, 2 bad usage, 3 not authorised, 5 limited (429), 6 no service answers,
7 timed out.`,
    )
    .action(mapSite)
}

async function mapSite(url: string, flags: MapFlags): Promise<void> {
  const request: PlainCall = { method: 'POST', path: '/v1/map', body: mapBody(url, flags) }
  if (flags.printCurl) return await printCurl(request, flags)
  const startedAtMs = performance.now()
  const response = await withProgress(`Mapping ${printable(url)}`, async () =>
    (await requestService(request, flags, { timeoutMs: responseMsMax })).text(),
  )
  const { links, warning } = JSON.parse(response) as SiteMap
  if (flags.json) await printJson(indentJson(response), flags)
  else {
    const text = links.map((link) => `${link.url}\n`).join('')
    await writeOutput(Readable.from([Buffer.from(text)]), flags.output)
  }
  if (warning) say(printable(warning))
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1)
  say(`${counted(links.length, 'URL')} in ${seconds} s${flags.output ? `, ${flags.output}` : ''}`)
}

const mapBody = (url: string, { search, subdomains, keepQuery }: MapFlags) => ({
  url,
  ...(search !== undefined && { search }),
  ...(subdomains && { include_subdomains: true }),
  ...(keepQuery && { ignore_query_parameters: false }),
})

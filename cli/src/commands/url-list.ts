import { createReadStream } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { readLines } from '@trawl/sdk'
import { CommandFailure } from '../command-failure.ts'
import { explainFileError } from '../output/write-output.ts'

const lineCharactersMax = 64 * 1024

/** What one batch may have: the service accepts 1 000 URLs in a body of 5 MiB. */
const urlsMax = 1000
const urlsBytesMax = 4 * 2 ** 20

export interface UrlGroup {
  urls: string[]
  isLast: boolean
}

/** The URLs of a file, or of stdin for `-`, in groups that each fit into a batch. */
export async function* readUrlGroups(
  file: string,
  { skipped, signal }: { skipped: number; signal: AbortSignal },
): AsyncGenerator<UrlGroup> {
  let left = skipped
  let urls: string[] = []
  let bytes = 0
  for await (const url of readUrls(file, signal)) {
    if (left > 0) {
      left -= 1
      continue
    }
    // Room for the quotes and escapes of JSON.
    const urlBytes = Buffer.byteLength(JSON.stringify(url)) + 1
    if (urls.length === urlsMax || bytes + urlBytes > urlsBytesMax) {
      yield { urls, isLast: false }
      urls = []
      bytes = 0
    }
    urls.push(url)
    bytes += urlBytes
  }
  if (urls.length > 0) yield { urls, isLast: true }
}

/** One URL a line; empty lines and those that begin with `#` are comments. */
async function* readUrls(file: string, signal: AbortSignal): AsyncGenerator<string> {
  // Who types a list must be able to stop with Ctrl-C.
  const input = addAbortSignal(signal, file === '-' ? process.stdin : createReadStream(file))
  let lineNumber = 0
  try {
    for await (const line of readLines(input, { charactersMax: lineCharactersMax })) {
      lineNumber += 1
      // Removes a byte order mark too.
      const url = line.trim()
      if (url !== '' && !url.startsWith('#')) yield url
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RangeError) {
      throw new CommandFailure(
        'badUsage',
        `Line ${lineNumber + 1} of the list has more than ${lineCharactersMax} characters.`,
      )
    }
    throw explainFileError(error, `Cannot read ${file}`)
  }
}

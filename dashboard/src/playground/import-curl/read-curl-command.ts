import type { PlaygroundRequest } from '../playground-request.ts'
import { type CurlCall, readCurlCall } from './read-curl-call.ts'
import { findServiceCall, listUnusedOfServiceCall, scrapeOfCall } from './request-of-call.ts'
import { isForCmd, splitCmdWords } from './split-cmd-words.ts'
import { shownPart, splitShellWords, UnreadableCommand } from './split-shell-words.ts'

/** What a curl command becomes, or why it becomes nothing. */
export type ImportedCurl =
  | { request: PlaygroundRequest; leftOut: string[]; fault?: never }
  | { request?: never; leftOut?: never; fault: string }

const commandBytesMax = 256 * 1024

/**
 * Reads a curl command: a call of this API as it is, any other as a scrape that sends the same to its
 * target. Whatever the playground cannot send is listed.
 */
export function readCurlCommand(text: string): ImportedCurl {
  try {
    return importCall(readCurlCall(splitCommand(text)))
  } catch (error) {
    if (error instanceof UnreadableCommand) return { fault: error.message }
    throw error
  }
}

function splitCommand(text: string) {
  if (new TextEncoder().encode(text).length > commandBytesMax) {
    throw new UnreadableCommand('The command is longer than 256 KiB.')
  }
  if (text.includes('\0')) throw new UnreadableCommand('A command has no NUL characters.')
  const lines = text.replaceAll('\r\n', '\n')
  return isForCmd(lines) ? splitCmdWords(lines) : splitShellWords(lines)
}

function importCall(call: CurlCall): ImportedCurl {
  const [first = '', ...others] = call.urls
  const leftOut = [...call.leftOut, ...others.map((url) => `the further URL ${shownPart(url)}`)]
  const url = readUrl(first, call.isGlobOff, leftOut)
  const ours = findServiceCall(url, call)
  if (!ours && call.query.length > 0) {
    url.search = [...(url.search === '' ? [] : [url.search]), ...call.query].join('&')
  }
  const request = ours ?? scrapeOfCall(url, call, leftOut)
  if (ours) leftOut.push(...listUnusedOfServiceCall(url, call))
  // The key of a printed command is a variable of the shell, which nobody misses here.
  const missed = leftOut.filter((part) => !ours || part !== 'the value of $TRAWL_API_KEY')
  return { request, leftOut: [...new Set(missed)] }
}

/** curl takes `http` where the scheme is missing, and reads brackets and braces as patterns. */
function readUrl(text: string, isGlobOff: boolean, leftOut: string[]): URL {
  const plain = isGlobOff ? text : text.replace(/\\([[\]{}])/g, '$1')
  const hasPattern = /\{[^{}]*\}|\[[\w:]+-[\w:]+\]/.test(text.replace(/\\[[\]{}]/g, ''))
  if (!isGlobOff && hasPattern) leftOut.push('the pattern in the URL, which is taken as text')
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(plain) ? plain : `http://${plain}`
  if (!URL.canParse(whole)) throw new UnreadableCommand(`This is not a URL: ${shownPart(text)}`)
  const url = new URL(whole)
  if (!/^https?:$/.test(url.protocol)) {
    throw new UnreadableCommand(`Only http and https can be scraped, not ${url.protocol}`)
  }
  return url
}

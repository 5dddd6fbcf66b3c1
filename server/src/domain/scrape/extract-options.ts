import { z } from 'zod'
import { storableText } from '../storable-text.ts'
import { optionsNeedingBrowser } from './choose-engine.ts'
import { ExtractRules } from './extract-rules.ts'
import {
  checkSizeFirst,
  hasMoreNames,
  isPlainObject,
  listUpTo,
  tooLong,
  withoutUnset,
} from './option-kinds.ts'
import { ScrapeOptions } from './scrape-options.ts'
import { selectorCharactersMax, waitSelectorFault } from './selector.ts'

/** What a page can be returned as; `domain/scrape` names them, `formats/catalogue.ts` makes them. */
export const formatNames = ['html', 'markdown', 'text', 'links', 'metadata', 'screenshot'] as const
export type FormatName = (typeof formatNames)[number]

/** Public clients know these two formats only and refuse a body that names another. */
export const publicFormats = ['html', 'markdown'] as const satisfies FormatName[]
export type PublicFormat = (typeof publicFormats)[number]

export const toPublicFormats = (formats: readonly FormatName[]): PublicFormat[] =>
  publicFormats.filter((format) => formats.includes(format))

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type TargetMethod = (typeof methods)[number]

export const proxyTypes = ['residential', 'datacenter', 'mix'] as const
export type ProxyType = (typeof proxyTypes)[number]

const ProxySettings = withoutUnset(
  z.object({
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .nullable()
      .default(null)
      .describe('ISO 3166-1 alpha-2, in capitals.'),
    type: z.enum(proxyTypes).default('residential'),
  }),
)

export const waitStates = ['commit', 'domcontentloaded', 'load', 'networkidle'] as const

const WaitConfig = withoutUnset(
  z.object({
    wait_until: z.enum(waitStates).optional().describe('The state of the page to wait for.'),
    wait_for: storableText(selectorCharactersMax)
      .superRefine((text, context) => {
        // Whatever is too long is refused for that, and is not worth parsing.
        const message = text.length <= selectorCharactersMax ? waitSelectorFault(text) : undefined
        if (message) context.addIssue({ code: 'custom', params: { type: selectorFault }, message })
      })
      .optional()
      .describe('CSS selector, or XPath, of an element to wait for.'),
    wait_timeout: z
      .int()
      .min(0)
      .max(30_000)
      .optional()
      .describe('A pause before the page is read, in ms.'),
  }),
)

/** The type of fault of a text that is no selector. */
export const selectorFault = 'selector_parsing'

const headersMax = 100
const headerValueMax = 8192

const Headers = checkSizeFirst(
  z.record(
    z
      .string()
      .max(256)
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/),
    // What an HTTP header can hold: neither control characters nor anything beyond Latin-1.
    z
      .string()
      .max(headerValueMax)
      .regex(/^[\t\x20-\x7e\x80-\xff]*$/),
  ),
  (given) => typeof given !== 'object' || Object.keys(given ?? {}).length <= headersMax,
  tooLong(`Dictionary should have at most ${headersMax} items`),
)

/** It is stored with the task, and decrypted whenever tasks are searched. */
const targetBodyBytesMax = 256 * 2 ** 10

const TargetBody = z.unknown().transform((given, context) => {
  const body =
    typeof given === 'string'
      ? { text: given, type: 'text/plain;charset=UTF-8' }
      : { text: JSON.stringify(given), type: 'application/json' }
  if (Buffer.byteLength(body.text) <= targetBodyBytesMax) return body
  const message = `Input should have at most ${targetBodyBytesMax} bytes`
  context.addIssue({ code: 'custom', params: { type: 'too_long' }, message, input: undefined })
  return z.NEVER
})

/** An enum of one: clients generated from a `const` beside another type refuse the other type. */
export const RenderJs = z.union([z.boolean(), z.enum(['auto'])])

/** The options that extractions, batches and crawls share. */
export const extractOptionFields = (formatsByDefault: readonly FormatName[]) => ({
  formats: listUpTo(20, z.enum(formatNames), 1)
    .transform((names) => [...new Set(names)])
    .prefault([...formatsByDefault])
    .describe('What the page is returned as, each in the field of its name.'),
  render_js: RenderJs.optional()
    .meta({ default: false })
    .describe(
      "Run the page's JavaScript in a browser. `auto`: HTTP first, and a browser where the response shows that the page needs one, in the same attempt and for the same token.",
    ),
  headers: Headers.optional().describe('Sent to the target.'),
  proxy: ProxySettings.optional().describe(
    "The proxy to use; any by default, the pool's own choice.",
  ),
  wait_config: WaitConfig.optional().describe(
    'What a browser waits for, in this order; until the page is quiet by default.',
  ),
  timeout: z
    .int()
    .min(1000)
    .max(300_000)
    .default(60_000)
    .describe('How long the whole extraction may take, in ms.'),
  max_age: z
    .int()
    .min(0)
    .default(0)
    .describe(
      'Return a stored result of the same request if it is not older than this, in ms; 0 always fetches.',
    ),
  session: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[A-Za-z0-9._-]+$/)
    .optional()
    .describe(
      'A name of your own: requests with the same name share their cookies and their proxy, until it was not used for 30 minutes. Never answered from stored results (`max_age`).',
    ),
  only_main_content: z
    .boolean()
    .default(false)
    .describe('Leave navigation, footers and the like out of `markdown` and `text`.'),
  extract_links: z.boolean().default(false).describe('Also return `links`.'),
  extract_rules: ExtractRules.optional().describe(
    'Names and CSS selectors or XPaths; what they match is returned as `extracted`.',
  ),
  method: z
    .enum(methods)
    .default('GET')
    .describe('Of the request to the target; any other than GET is never sent by a browser.'),
  body: TargetBody.optional().describe(
    'Of the request to the target: text as it is, anything else as JSON; 256 KiB at most.',
  ),
  configurations: ScrapeOptions.describe(
    'All options of a scrape; a field beside it wins over the same option in it.',
  ),
})

const sharedOptions = z.object(extractOptionFields(['html']))
export type ExtractOptions = z.output<typeof sharedOptions>

/** Faults that only several options together have. */
export function checkExtractOptions(
  { method, body, render_js, configurations }: ExtractOptions,
  context: z.core.$RefinementCtx<unknown>,
): void {
  const refuse = (path: string[], message: string) =>
    context.addIssue({ code: 'custom', path, params: { type: 'value_error' }, message })
  if (method === 'GET') {
    if (body !== undefined) refuse(['body'], 'A GET request has no body')
    return
  }
  if (render_js === true) refuse(['render_js'], `A browser does not send ${method} requests`)
  const rendering =
    render_js === undefined ? configurations : { ...configurations, js_render: false }
  for (const option of optionsNeedingBrowser(rendering)) {
    refuse(['configurations', option], `This needs a browser, which sends no ${method} requests`)
  }
}

/**
 * Writes the fields that have a twin in `configurations` into it before both are parsed, because the
 * defaults of other options depend on them. A page in a browser is waited for until it is quiet.
 */
export function mergeTwins(given: unknown): unknown {
  if (!isPlainObject(given)) return given
  const { formats, configurations = {} } = given
  const hasScreenshot = Array.isArray(formats) && formats.includes('screenshot')
  if (!isPlainObject(configurations)) return given
  // So many are refused; copying thousands of names takes milliseconds.
  if (hasMoreNames(configurations, copiedNamesMax)) return given
  if (!hasScreenshot && given['configurations'] === undefined) return given
  const { mode, screenshot } = configurations
  const isModeSet = mode !== undefined && mode !== null && mode !== ''
  const image = isPlainObject(screenshot) ? screenshot : {}
  return {
    ...given,
    configurations: {
      ...configurations,
      ...(!isModeSet && { mode: settledMode }),
      ...(hasScreenshot && { screenshot: { ...image, use: true } }),
    },
  }
}

const copiedNamesMax = 1_000

/** The mode of an extraction that asks for none. */
export const settledMode = 'SPA'

import { z } from 'zod'
import { storableText } from '../storable-text.ts'
import { MinifierOptions } from './minifier-options.ts'
import {
  checkSizeFirst,
  deepFreeze,
  isEmpty,
  listUpTo,
  options,
  optionsByDefault,
  tooLong,
} from './option-kinds.ts'
import { Scenario, selector } from './scenario.ts'

const flag = (byDefault: boolean, about: string) => z.boolean().default(byDefault).describe(about)

const Screenshot = optionsByDefault({
  use: flag(false, 'Whether an image of the page is returned.'),
  options: optionsByDefault({
    type: z.enum(['png', 'jpeg', 'webp']).default('jpeg'),
    fullPage: flag(true, 'The whole page, not only what a screen shows.'),
    omitBackground: flag(false, 'Transparent where the page has no background of its own.'),
    encoding: z
      .enum(['base64', 'binary'])
      .default('binary')
      .describe('`base64` puts the image into the result, `binary` a link to it.'),
    captureBeyondViewport: flag(true, 'Also what lies outside the viewport.'),
    fromSurface: flag(true, 'From the surface rather than the view.'),
  }),
}).describe('An image of the page.')

const Optimizations = optionsByDefault({
  skipDomains: listUpTo(100, storableText(253).min(1).toLowerCase())
    .prefault([])
    .describe('Requests whose host contains one of these are not loaded.'),
  loadOnlySameOriginRequests: flag(true, "Load only from the page's own origin."),
}).describe('What the page need not load.')

const Retries = optionsByDefault({
  useRetries: flag(true, 'Whether a failed attempt is repeated.'),
  maxRetries: z.int().min(0).max(10).default(2).describe('How often at most.'),
}).describe('What happens when an attempt fails.')

const ProxyChoice = optionsByDefault({
  useOnlyResidential: flag(false, 'Only through residential proxies.'),
}).describe('Which proxies may be used.')

const pixels = z.int().min(1).max(8192)
const Viewport = options({
  width: pixels.default(1280).describe('Pixels.'),
  height: pixels.default(800).describe('Pixels.'),
  deviceScaleFactor: z.number().min(0.1).max(4).optional().describe('Device pixels per pixel.'),
  isMobile: z.boolean().optional().describe('Whether the meta viewport tag counts.'),
  hasTouch: z.boolean().optional().describe('Whether there are touch events.'),
  isLandscape: z.boolean().optional(),
})

const Cookie = options(
  {
    // Browsers accept more characters than the RFC; only those that would end the cookie are refused.
    name: z
      .string()
      .max(256)
      .regex(/^[!-:<>-~]+$/),
    value: z
      .string()
      .max(4096)
      .regex(/^[ -:<-~]*$/),
    domain: z
      .string()
      .max(255)
      .regex(/^\.?[\w.:[\]-]+$/)
      .optional()
      .describe("The target's host by default."),
  },
  (key, value) => value === null || (key === 'domain' && value === ''),
)

const storageKeysMax = 100
const storageBytesMax = 64 * 1024

const LocalStorage = checkSizeFirst(
  z
    .record(
      storableText(storageBytesMax),
      z.union([
        storableText(storageBytesMax),
        z.union([z.number(), z.boolean()]).transform(String),
      ]),
    )
    .refine((entries) => bytesOf(entries) <= storageBytesMax, {
      params: { type: 'too_long' },
      message: `Dictionary should have at most ${storageBytesMax} bytes of keys and values`,
    }),
  // A text passes here: `Object.keys` would list each of its characters.
  (given) => typeof given !== 'object' || Object.keys(given ?? {}).length <= storageKeysMax,
  tooLong(`Dictionary should have at most ${storageKeysMax} items`),
)

const Given = options(
  {
    js_render: flag(false, 'Run the JavaScript of the page.'),
    is_json_response: flag(false, 'The target answers with JSON, not with a document.'),
    block_resources: z
      .boolean()
      .optional()
      .meta({ default: true })
      .describe('Load no images, style sheets, media and fonts. Off when a screenshot is taken.'),
    keep_headers: flag(false, "Send the caller's own headers to the target too."),
    debug: flag(false, 'With `json`: what was requested, tried and waited for.'),
    response_format: z
      .enum(['html', 'json'])
      .default('html')
      .describe('`html`: the page alone. `json`: headers, cookies and bandwidth too.'),
    mode: z
      .enum(['SPA', 'longPolling', 'domLoaded', 'documentLoaded', 'load'])
      .default('load')
      .describe('When the page counts as finished.'),
    waitForSelector: selector.optional().describe('CSS selector to wait for.'),
    device_type: z.enum(['desktop', 'mobile', 'tablet']).default('desktop'),
    country_code: z
      .string()
      .regex(/^[A-Za-z]{2}$/)
      .toUpperCase()
      .optional()
      .describe('ISO 3166-1 alpha-2: where the proxy is.'),
    cookies: listUpTo(100, Cookie).prefault([]).describe('Sent to the page.'),
    localStorage: LocalStorage.prefault({}).describe(
      "Set for the target's origin before its first script.",
    ),
    collect_data_from_requests: flag(false, "Return the answers to the page's own fetch and XHR."),
    HTMLMinifier: MinifierOptions.describe('How the HTML is minified.'),
    screenshot: Screenshot,
    optimizations: Optimizations,
    retries: Retries,
    proxy: ProxyChoice,
    js_scenario: Scenario.default(() => noScenario).describe('What is done on the page.'),
    viewport: Viewport.optional().describe("The browser's window; `device_type`'s by default."),
  },
  isUnset,
)

const noScenario: z.output<typeof Scenario> = deepFreeze({ actions: [] })

const Parsed = Given.transform(({ block_resources, ...rest }) => ({
  ...rest,
  block_resources: block_resources ?? !rest.screenshot.use,
}))

/** The caller's options with every default filled in. Parts of it may be frozen. */
export type ScrapeOptions = z.output<typeof Parsed>

export const defaultScrapeOptions: ScrapeOptions = deepFreeze(Parsed.parse({}))

export const ScrapeOptions = Parsed.default(() => defaultScrapeOptions).meta({
  id: 'ScrapeOptions',
  description: 'How the page is fetched; every option has a default.',
})

/** Public clients send null, empty texts and empty objects for options that they do not set. */
function isUnset(key: string, value: unknown): boolean {
  if (value === null) return true
  if (value === '') return textOptions.has(key)
  return typeof value === 'object' && objectOptions.has(key) && isEmpty(value)
}

const textOptions = new Set(['country_code', 'mode', 'waitForSelector', 'device_type'])
const objectOptions = new Set(['localStorage', 'viewport', 'js_scenario'])

function bytesOf(entries: Record<string, string>): number {
  const texts = Object.entries(entries).flat()
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

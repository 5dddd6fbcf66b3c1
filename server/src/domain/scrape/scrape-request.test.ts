import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { engineFor, optionsNeedingBrowser } from './choose-engine.ts'
import { defaultScrapeOptions, type ScrapeOptions } from './scrape-options.ts'
import { CallbackScrape, proxyRequirementsOf, RealtimeScrape } from './scrape-request.ts'

const least = { url: 'https://example.com/', callbackUrl: 'https://receiver.test/' }

/** The path and code of each error in a body. */
const faultsOf = (body: unknown): [path: string, code: string][] =>
  CallbackScrape.safeParse(body).error?.issues.map((issue) => [
    issue.path.join('.'),
    issue.code === 'custom' ? String(issue.params?.['type']) : issue.code,
  ]) ?? []

const parsedOptions = (configurations: unknown): ScrapeOptions =>
  CallbackScrape.parse({ ...least, configurations }).configurations

test('a body with only the two URLs gets every default', () => {
  assert.deepEqual(CallbackScrape.parse(least), {
    ...least,
    timeout_ms: 60_000,
    callback_on_failure: true,
    configurations: {
      js_render: false,
      is_json_response: false,
      block_resources: true,
      keep_headers: false,
      debug: false,
      response_format: 'html',
      mode: 'load',
      device_type: 'desktop',
      cookies: [],
      localStorage: {},
      collect_data_from_requests: false,
      HTMLMinifier: { useMinifier: false },
      screenshot: {
        use: false,
        options: {
          type: 'jpeg',
          fullPage: true,
          omitBackground: false,
          encoding: 'binary',
          captureBeyondViewport: true,
          fromSurface: true,
        },
      },
      optimizations: { skipDomains: [], loadOnlySameOriginRequests: true },
      retries: { useRetries: true, maxRetries: 2 },
      proxy: { useOnlyResidential: false },
      js_scenario: { actions: [] },
    },
  })
})

test('a realtime body needs no callback, and fields about one are dropped', () => {
  const { url } = least

  assert.deepEqual(RealtimeScrape.parse({ url, callbackUrl: 'ignored', callback_on_failure: 0 }), {
    url,
    timeout_ms: 60_000,
    configurations: defaultScrapeOptions,
  })
})

test('unknown fields beside the options are ignored', () => {
  assert.ok(!('apiVersion' in CallbackScrape.parse({ ...least, apiVersion: 2 })))
})

test('null beside the options means not set', () => {
  const nulls = {
    configurations: null,
    metadata: null,
    timeout_ms: null,
    callback_on_failure: null,
  }

  assert.deepEqual(CallbackScrape.parse({ ...least, ...nulls }), CallbackScrape.parse(least))
})

const meaningNotSet: Record<string, unknown> = {
  'no options': {},
  'null for every option': Object.fromEntries(
    [...Object.keys(defaultScrapeOptions), 'waitForSelector', 'country_code', 'viewport'].map(
      (name) => [name, null],
    ),
  ),
  'empty text': { country_code: '', waitForSelector: '', mode: '', device_type: '' },
  'an empty list for the local storage': { localStorage: [] },
  'empty objects': {
    HTMLMinifier: {},
    screenshot: {},
    optimizations: {},
    retries: {},
    proxy: {},
    js_scenario: {},
    viewport: {},
    localStorage: {},
  },
  'objects with nothing but null in them': {
    viewport: { width: null, isMobile: null },
    screenshot: { use: null, options: null },
    js_scenario: { actions: null },
    retries: { maxRetries: null },
  },
}

for (const [name, configurations] of Object.entries(meaningNotSet)) {
  test(`configurations with ${name} give the defaults`, () => {
    assert.deepEqual(parsedOptions(configurations), defaultScrapeOptions)
  })
}

test('defaults that requests share are frozen', () => {
  const { configurations } = CallbackScrape.parse(least)

  assert.throws(() => configurations.cookies.push({ name: 'a', value: 'b' }), TypeError)
  assert.throws(() => {
    parsedOptions({ debug: true }).screenshot.options.type = 'png'
  }, TypeError)
})

test('a country code may be in upper or lower case', () => {
  assert.equal(parsedOptions({ country_code: 'dE' }).country_code, 'DE')
})

test('a viewport with only a width gets the default height', () => {
  assert.deepEqual(parsedOptions({ viewport: { width: 320 } }).viewport, {
    width: 320,
    height: 800,
  })
})

test('a screenshot turns block_resources off, unless the caller sets it', () => {
  const screenshot = { use: true }

  assert.equal(parsedOptions({ screenshot }).block_resources, false)
  assert.equal(parsedOptions({ screenshot, block_resources: true }).block_resources, true)
  assert.equal(parsedOptions({ block_resources: false }).block_resources, false)
})

test('a cookie needs no domain, and numbers in localStorage become text', () => {
  const { cookies, localStorage } = parsedOptions({
    cookies: [{ name: 'a', value: '{"b": 1}', domain: null }],
    localStorage: { seen: true, count: 3, name: 'x' },
  })

  assert.deepEqual(cookies, [{ name: 'a', value: '{"b": 1}' }])
  assert.deepEqual(localStorage, { seen: 'true', count: '3', name: 'x' })
})

const cookie = { name: 'a', value: 'b' }
const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)
const entries = (count: number, size = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'x'.repeat(size)]))
// Deeper than any recursion could follow.
const deepMetadata = {
  metadata: JSON.parse(`${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`),
}

const within: Record<string, object> = {
  'a long URL': { url: `http://a.test/${'x'.repeat(8192 - 14)}` },
  'the shortest timeout': { timeout_ms: 1000 },
  'the longest timeout': { timeout_ms: 300_000 },
  'metadata of 4 KiB': { metadata: { a: 'x'.repeat(4096 - 8) } },
  'no retries': { configurations: { retries: { maxRetries: 0 } } },
  'ten retries': { configurations: { retries: { maxRetries: 10 } } },
  'the smallest viewport': { configurations: { viewport: { width: 1, deviceScaleFactor: 0.1 } } },
  'the largest viewport': { configurations: { viewport: { height: 8192, deviceScaleFactor: 4 } } },
  'a long selector': { configurations: { waitForSelector: 'x'.repeat(4096) } },
  '100 cookies': { configurations: { cookies: many(100, cookie) } },
  '100 entries': { configurations: { localStorage: entries(100) } },
  '100 domains': { configurations: { optimizations: { skipDomains: many(100, 'ads') } } },
}

for (const [name, change] of Object.entries(within)) {
  test(`a body with ${name} is accepted`, () => {
    assert.deepEqual(faultsOf({ ...least, ...change }), [])
  })
}

const outside: [change: object, path: string, fault: string][] = [
  [{ url: undefined }, 'url', 'invalid_type'],
  [{ callbackUrl: undefined }, 'callbackUrl', 'invalid_type'],
  [{ url: 1 }, 'url', 'invalid_type'],
  [{ url: `http://a.test/${'x'.repeat(8192)}` }, 'url', 'too_big'],
  [{ url: '/relative' }, 'url', 'url_parsing'],
  [{ url: 'ftp://a.test/' }, 'url', 'url_parsing'],
  [{ url: 'http://' }, 'url', 'url_parsing'],
  [{ callbackUrl: 'file:///etc/passwd' }, 'callbackUrl', 'url_parsing'],
  [{ url: 'http://a.test/\0' }, 'url', 'string_unicode'],
  [{ url: 'http://a.test/\ud800' }, 'url', 'string_unicode'],
  [{ timeout_ms: 999 }, 'timeout_ms', 'too_small'],
  [{ timeout_ms: 300_001 }, 'timeout_ms', 'too_big'],
  [{ timeout_ms: 1000.5 }, 'timeout_ms', 'invalid_type'],
  [{ timeout_ms: '5000' }, 'timeout_ms', 'invalid_type'],
  [{ metadata: { a: 'x'.repeat(4097 - 8) } }, 'metadata', 'too_long'],
  [deepMetadata, 'metadata', 'too_long'],
  [{ metadata: [] }, 'metadata', 'invalid_type'],
  [{ callback_on_failure: 'true' }, 'callback_on_failure', 'invalid_type'],
  [{ configurations: [] }, 'configurations', 'invalid_type'],
  [{ configurations: 'x' }, 'configurations', 'invalid_type'],
]

const badOptions: [options: object, path: string, fault: string][] = [
  [{ js_render: 'true' }, 'js_render', 'invalid_type'],
  [{ js_render: '' }, 'js_render', 'invalid_type'],
  [{ js_render: {} }, 'js_render', 'invalid_type'],
  [{ debug: 1 }, 'debug', 'invalid_type'],
  [{ response_format: 'xml' }, 'response_format', 'invalid_value'],
  [{ mode: 'spa' }, 'mode', 'invalid_value'],
  [{ device_type: 'watch' }, 'device_type', 'invalid_value'],
  [{ waitForSelector: 'x'.repeat(4097) }, 'waitForSelector', 'too_big'],
  [{ country_code: 'DEU' }, 'country_code', 'invalid_format'],
  [{ country_code: 'D1' }, 'country_code', 'invalid_format'],
  [{ cookies: {} }, 'cookies', 'invalid_type'],
  [{ cookies: many(101, cookie) }, 'cookies', 'too_big'],
  [{ cookies: [{ name: 'a' }] }, 'cookies.0.value', 'invalid_type'],
  [{ cookies: [{ name: 'a=b', value: '' }] }, 'cookies.0.name', 'invalid_format'],
  [{ cookies: [{ name: '', value: '' }] }, 'cookies.0.name', 'invalid_format'],
  [{ cookies: [{ name: 'a', value: 'b\r\nc' }] }, 'cookies.0.value', 'invalid_format'],
  [{ cookies: [{ name: 'a', value: 'b;c' }] }, 'cookies.0.value', 'invalid_format'],
  [{ cookies: [{ name: 'a', value: 'é' }] }, 'cookies.0.value', 'invalid_format'],
  [{ cookies: [{ name: 'a', value: 'x'.repeat(4097) }] }, 'cookies.0.value', 'too_big'],
  [{ cookies: [{ ...cookie, domain: 'a/b' }] }, 'cookies.0.domain', 'invalid_format'],
  [{ cookies: [{ ...cookie, path: '/' }] }, 'cookies.0', 'unrecognized_keys'],
  [{ localStorage: entries(101) }, 'localStorage', 'too_long'],
  [{ localStorage: entries(2, 33_000) }, 'localStorage', 'too_long'],
  [{ localStorage: { a: 'x', b: null } }, 'localStorage.b', 'invalid_union'],
  [{ localStorage: ['a'] }, 'localStorage', 'invalid_type'],
  [{ optimizations: { skipDomains: many(101, 'a') } }, 'optimizations.skipDomains', 'too_big'],
  [{ optimizations: { skipDomains: [''] } }, 'optimizations.skipDomains.0', 'too_small'],
  [{ retries: { maxRetries: 11 } }, 'retries.maxRetries', 'too_big'],
  [{ retries: { maxRetries: -1 } }, 'retries.maxRetries', 'too_small'],
  [{ retries: { maxRetries: 1.5 } }, 'retries.maxRetries', 'invalid_type'],
  [{ viewport: { width: 0 } }, 'viewport.width', 'too_small'],
  [{ viewport: { height: 8193 } }, 'viewport.height', 'too_big'],
  [{ viewport: { deviceScaleFactor: 0.05 } }, 'viewport.deviceScaleFactor', 'too_small'],
  [{ viewport: { deviceScaleFactor: 4.5 } }, 'viewport.deviceScaleFactor', 'too_big'],
  [{ viewport: { isMobile: 'yes' } }, 'viewport.isMobile', 'invalid_type'],
  [{ screenshot: { options: { type: 'gif' } } }, 'screenshot.options.type', 'invalid_value'],
  [{ screenshot: true }, 'screenshot', 'invalid_type'],
  [{ screenshot: [] }, 'screenshot', 'invalid_type'],
  [{ proxy: { useOnlyResidential: 'no' } }, 'proxy.useOnlyResidential', 'invalid_type'],
  [{ jsRender: true }, '', 'unrecognized_keys'],
  [{ screenshot: { options: { fullpage: true } } }, 'screenshot.options', 'unrecognized_keys'],
  [{ js_scenario: { steps: [] } }, 'js_scenario', 'unrecognized_keys'],
]

for (const [options, path, fault] of badOptions) {
  const place = path ? `configurations.${path}` : 'configurations'
  outside.push([{ configurations: options }, place, fault])
}

for (const [change, path, fault] of outside) {
  const shown = change === deepMetadata ? 'deep metadata' : JSON.stringify(change).slice(0, 80)
  test(`a body with ${shown} is refused at ${path}: ${fault}`, () => {
    assert.deepEqual(faultsOf({ ...least, ...change }), [[path, fault]])
  })
}

test('all errors of a body are reported at once', () => {
  const faults = faultsOf({ url: 'x', timeout_ms: 1, configurations: { debug: 1, mdoe: 'load' } })

  assert.deepEqual(faults.map(([path]) => path).sort(), [
    'callbackUrl',
    'configurations',
    'configurations.debug',
    'timeout_ms',
    'url',
  ])
})

const engineChoices: [options: object, needingBrowser: string[]][] = [
  [{}, []],
  [{ block_resources: true, mode: 'SPA', device_type: 'mobile' }, []],
  [{ optimizations: { skipDomains: ['ads'] }, cookies: [cookie] }, []],
  [{ js_scenario: { actions: [] }, viewport: {}, localStorage: {} }, []],
  [{ viewport: null, screenshot: { options: { type: 'png' } } }, []],
  [{ js_render: true }, ['js_render']],
  [{ screenshot: { use: true } }, ['screenshot']],
  [{ waitForSelector: '#a' }, ['waitForSelector']],
  [{ js_scenario: { actions: [{ action: 'wait', value: 1 }] } }, ['js_scenario']],
  [{ localStorage: { a: 'b' } }, ['localStorage']],
  [{ collect_data_from_requests: true }, ['collect_data_from_requests']],
  [{ viewport: { width: 1 } }, ['viewport']],
  [{ js_render: true, waitForSelector: 'a' }, ['js_render', 'waitForSelector']],
]

for (const [options, needingBrowser] of engineChoices) {
  const engine = needingBrowser.length > 0 ? 'browser' : 'http'
  test(`a task with ${JSON.stringify(options)} runs in the engine ${engine}`, () => {
    const parsed = parsedOptions(options)

    assert.deepEqual(optionsNeedingBrowser(parsed), needingBrowser)
    assert.equal(engineFor(parsed), engine)
  })
}

test('the options that need a browser are listed by their names', () => {
  const everything = {
    js_render: true,
    screenshot: { use: true },
    waitForSelector: '#a',
    js_scenario: { actions: [{ action: 'wait', value: 1 }] },
    localStorage: { a: 'b' },
    collect_data_from_requests: true,
    viewport: { width: 1 },
  }

  assert.deepEqual(
    optionsNeedingBrowser(parsedOptions(everything)).toSorted(),
    Object.keys(everything).toSorted(),
  )
  assert.deepEqual(optionsNeedingBrowser(parsedOptions({})), [])
})

test('the proxy requirements of a task are its country and whether only residential ones do', () => {
  const requirementsOf = (options: object) =>
    proxyRequirementsOf({ options: parsedOptions(options) })

  assert.deepEqual(requirementsOf({ country_code: 'de' }), {
    country: 'DE',
    type: null,
  })
  assert.deepEqual(requirementsOf({ proxy: { useOnlyResidential: true } }), {
    country: null,
    type: 'residential',
  })
  assert.deepEqual(requirementsOf({ js_render: true }), { country: null, type: null })
})

test('options are the same after a round trip through JSON', () => {
  const options = parsedOptions({ viewport: { width: 5 }, country_code: 'us' })

  assert.deepEqual(JSON.parse(JSON.stringify(options)), options)
})

test('the JSON Schema shows every option with its default', () => {
  const { $defs } = z.toJSONSchema(CallbackScrape, { io: 'input' })
  const { properties, required } = $defs?.['CallbackScrape'] ?? {}
  const timeout = properties?.['timeout_ms'] as z.core.JSONSchema.Schema | undefined
  const options = ($defs?.['ScrapeOptions']?.properties ?? {}) as Record<
    string,
    z.core.JSONSchema.Schema
  >

  assert.deepEqual(required, ['url', 'callbackUrl'])
  assert.equal(timeout?.default, 60_000)
  assert.deepEqual(
    Object.entries(options).map(([name, { default: byDefault }]) => [name, byDefault]),
    [
      ['js_render', false],
      ['is_json_response', false],
      ['block_resources', true],
      ['keep_headers', false],
      ['debug', false],
      ['response_format', 'html'],
      ['mode', 'load'],
      ['waitForSelector', undefined],
      ['device_type', 'desktop'],
      ['country_code', undefined],
      ['cookies', []],
      ['localStorage', {}],
      ['collect_data_from_requests', false],
      ['HTMLMinifier', undefined],
      ['screenshot', undefined],
      ['optimizations', undefined],
      ['retries', undefined],
      ['proxy', undefined],
      ['js_scenario', undefined],
      ['viewport', undefined],
    ],
  )
})

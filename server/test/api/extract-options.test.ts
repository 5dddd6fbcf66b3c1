/** The fields of an extraction over HTTP. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExtractionProblem } from '../../src/http/errors/extraction-problem.ts'
import { extract, extracted, failureIn, faultsOfExtraction } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, startTestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

const article = `<!doctype html><html lang="en"><head><title>Cod</title>
  <meta name="description" content="About cod"></head><body><nav><a href="/home">Home</a></nav>
  <main><h1>Cod</h1><p>A fish of the <a href="sea?deep=1">sea</a>.</p></main></body></html>`

onBothStores((kind, start) => {
  test(`${kind}: the fields of an extraction`, async (t) => {
    const site = await startTestSite(t)
    const pages = await startPageSite(t)
    pages.page('/article', article)
    const received: { method: string; headers: Record<string, unknown>; body: string }[] = []
    pages.page('/form', async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      received.push({ method: request.method ?? '', headers: request.headers, body })
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>thanks</p>')
    })
    const { createAccount } = await start(t, { environment: reachingLoopback })
    const account = await createAccount()
    const url = pages.url('/article')

    await t.test('each format is the field of its name in `data`', async () => {
      const formats = ['html', 'markdown', 'text', 'links', 'metadata', 'text']
      const { data, metadata } = await extracted(account, { url, formats })

      assert.deepEqual(Object.keys(data), ['html', 'markdown', 'text', 'links', 'metadata'])
      assert.equal(data.html, article)
      assert.match(data.markdown ?? '', /A fish of the/)
      assert.match(data.text ?? '', /A fish of the sea\./)
      assert.deepEqual(data.links, [pages.url('/home'), pages.url('/sea?deep=1')])
      assert.deepEqual([data.metadata?.title, data.metadata?.description], ['Cod', 'About cod'])
      assert.deepEqual(metadata.formats, ['html', 'markdown'])
      assert.deepEqual(metadata.all_formats, formats.slice(0, -1))
    })

    await t.test('formats that were not asked for are null or absent', async () => {
      const { data } = await extracted(account, { url, formats: ['markdown'] })

      assert.deepEqual(Object.keys(data), ['html', 'markdown'])
      assert.equal(data.html, null)
    })

    await t.test('`only_main_content` leaves the rest out of text and markdown', async () => {
      const formats = ['markdown', 'text', 'links']
      const { data } = await extracted(account, { url, formats, only_main_content: true })

      assert.doesNotMatch(`${data.markdown}${data.text}`, /Home/)
      assert.match(data.text ?? '', /A fish/)
      assert.equal(data.links?.length, 2)
    })

    await t.test('`extract_links` adds the links to any format', async () => {
      const { data } = await extracted(account, { url, extract_links: true })

      assert.deepEqual(Object.keys(data), ['html', 'markdown', 'links'])
    })

    await t.test('`extract_rules` fill `extracted`', async () => {
      const extract_rules = { title: 'h1', href: { selector: '//main//a', output: '@href' } }
      const { data } = await extracted(account, { url, extract_rules })

      assert.deepEqual(data.extracted, { title: 'Cod', href: pages.url('/sea?deep=1') })
    })

    await t.test('a bad selector of a rule is a fault that names its place', async () => {
      const response = await extract(account, { url, extract_rules: { title: 'h1[' } })

      assert.deepEqual(faultsOfExtraction(response), ['body.extract_rules.title selector_parsing'])
      assert.equal(failureIn(response).error.code, 'UNPROCESSABLE_CONTENT')
    })

    await t.test(
      '`headers` reach the target, credentials too, and are echoed redacted',
      async () => {
        const headers = {
          'X-Mine': 'yes',
          authorization: 'Bearer secret',
          Cookie: 'a=1; b=2',
          'User-Agent': 'mine/1.0',
          Host: 'other.test',
          'Accept-Encoding': 'identity',
          'X-Api-Key': 'secret',
          'Proxy-Authorization': 'Basic secret',
        }
        const { data, metadata } = await extracted(account, { url: site.url('/echo'), headers })

        const echoed = data.json as Record<string, string>
        assert.equal(echoed['x-mine'], 'yes')
        assert.equal(echoed['authorization'], 'Bearer secret')
        assert.equal(echoed['cookie'], 'a=1; b=2')
        assert.equal(echoed['user-agent'], 'mine/1.0')
        assert.equal(echoed['host'], new URL(site.origin).host)
        assert.notEqual(echoed['accept-encoding'], 'identity')
        assert.deepEqual(metadata.headers, {
          ...headers,
          authorization: '***',
          Cookie: '***',
          'X-Api-Key': '***',
          'Proxy-Authorization': '***',
        })
        assert.equal(echoed['x-api-key'], 'secret')
        assert.equal(echoed['proxy-authorization'], undefined)
      },
    )

    await t.test('`headers` are not sent to another origin after a redirect', async () => {
      pages.page('/away', (_, response) =>
        response.writeHead(302, { location: site.url('/echo') }).end(),
      )
      const headers = { 'x-mine': 'yes', cookie: 'a=1' }
      const { data } = await extracted(account, { url: pages.url('/away'), headers })

      assert.equal(pages.askedFor('/away')[0]?.headers['x-mine'], 'yes')
      assert.equal((data.json as Record<string, string>)['x-mine'], undefined)
    })

    await t.test('`method` and `body` are sent to the target, JSON or text', async () => {
      const form = pages.url('/form')
      await extracted(account, { url: form, method: 'POST', body: { fish: ['cod'] } })
      await extracted(account, {
        url: form,
        method: 'PUT',
        body: 'a=größer',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      })
      await extracted(account, { url: form, method: 'DELETE' })

      const shown = received.map(({ method, headers, body }) => [
        method,
        headers['content-type'],
        body,
      ])
      assert.deepEqual(shown, [
        ['POST', 'application/json', '{"fish":["cod"]}'],
        ['PUT', 'application/x-www-form-urlencoded', 'a=größer'],
        ['DELETE', undefined, ''],
      ])
    })

    await t.test('a POST is not tried again after it was sent, a GET is', async () => {
      let posts = 0
      pages.page('/busy', (request, response) => {
        if (request.method === 'POST') posts += 1
        response.writeHead(503, { 'content-type': 'text/html' }).end('<p>busy</p>')
      })
      const body = { url: pages.url('/busy'), configurations: { retries: { maxRetries: 1 } } }
      const posted = await extracted(account, { ...body, method: 'POST' })
      const got = await extracted(account, body)

      assert.deepEqual([posts, posted.metadata.retry_count], [1, 0])
      assert.equal(got.metadata.retry_count, 1)
    })

    await t.test('options in `configurations` apply, and a field beside them wins', async () => {
      const { data, metadata } = await extracted(account, {
        url: site.url('/page/a%20%20b'),
        configurations: { HTMLMinifier: { useMinifier: true }, js_render: true },
        render_js: false,
      })

      assert.equal(data.html, '<p>a b</p>')
      assert.deepEqual([metadata.render_js, metadata.engine], [false, 'http'])
    })

    await t.test('`render_js: "auto"` echoes the boolean that came out', async () => {
      const { metadata } = await extracted(account, { url, render_js: 'auto' })

      assert.deepEqual([metadata.render_js, metadata.engine], [false, 'http'])
      assert.equal(typeof metadata.engine_reason, 'string')
    })

    await t.test('`wait_config` without `render_js` is echoed and has no effect', async () => {
      const wait_config = { wait_until: 'networkidle', wait_for: '.never', wait_timeout: null }
      const { metadata } = await extracted(account, { url, wait_config })

      assert.deepEqual(metadata.wait_config, { ...wait_config, wait_timeout: null })
      assert.equal(metadata.engine, 'http')
    })

    await t.test('null means not set, and unknown fields are ignored', async () => {
      const unset = Object.fromEntries(
        [
          'formats',
          'render_js',
          'headers',
          'proxy',
          'wait_config',
          'timeout',
          'processing_mode',
          'only_main_content',
          'extract_links',
          'extract_rules',
          'method',
          'body',
          'configurations',
        ].map((name) => [name, null]),
      )
      const { data, metadata } = await extracted(account, { url, ...unset, unheard_of: 1 })

      assert.equal(data.html, article)
      assert.equal(metadata.processing_mode, 'sync')
    })

    await t.test('JSON, text and XML come as what they are', async () => {
      pages.page('/notes', (_, response) =>
        response.writeHead(200, { 'content-type': 'text/plain' }).end('a < b & c'),
      )
      pages.page('/feed', (_, response) =>
        response.writeHead(200, { 'content-type': 'application/rss+xml' }).end('<rss/>'),
      )
      const formats = ['html', 'text']

      const json = await extract(account, { url: site.url('/json'), formats })
      const notes = await extracted(account, { url: pages.url('/notes'), formats })
      const feed = await extracted(account, { url: pages.url('/feed'), formats })

      assert.match(json.text, /"json":\{"fish": \["cod", "größer"\], "id": 12345678901234567890\}/)
      assert.equal(json.json().data.html, null)
      assert.equal(json.json().metadata.content_type, 'application/json')
      assert.equal(notes.data.text, 'a < b & c')
      assert.match(feed.data.html ?? '', /<rss\/>/)
      assert.equal(feed.metadata.content_type, 'application/rss+xml')
    })
  })
})

const tooMany = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, '1']))

const faults: [name: string, body: Record<string, unknown>, faults: string[], code?: string][] = [
  ['no url', {}, ['body.url missing']],
  ['a url that is not one', { url: 'nope' }, ['body.url url_parsing'], 'INVALID_URL'],
  [
    'a url with a longer host than any has',
    { url: `http://${'漢字'.repeat(2_000)}/` },
    ['body.url url_parsing'],
    'INVALID_URL',
  ],
  ['a url of a file', { url: 'file:///etc/passwd' }, ['body.url url_parsing'], 'INVALID_URL'],
  [
    'a url that is too long',
    { url: `http://a.test/${'x'.repeat(8192)}` },
    ['body.url string_too_long'],
  ],
  ['an unknown mode', { processing_mode: 'later' }, ['body.processing_mode literal_error']],
  ['no formats', { formats: [] }, ['body.formats too_short']],
  ['an unknown format', { formats: ['pdf'] }, ['body.formats.0 literal_error']],
  ['formats that are no list', { formats: 'html' }, ['body.formats list_type']],
  ['too many formats', { formats: Array(21).fill('html') }, ['body.formats too_long']],
  ['a text for render_js', { render_js: 'yes' }, ['body.render_js bool_type']],
  ['headers that are no map', { headers: 'x' }, ['body.headers dict_type']],
  ['a header that is no text', { headers: { a: 1 } }, ['body.headers.a string_type']],
  [
    'a header with a line break',
    { headers: { a: 'b\r\nc: d' } },
    ['body.headers.a string_pattern_mismatch'],
  ],
  ['too many headers', { headers: tooMany(101) }, ['body.headers too_long']],
  [
    'a country in small letters',
    { proxy: { country: 'de' } },
    ['body.proxy.country string_pattern_mismatch'],
  ],
  ['an unknown proxy type', { proxy: { type: 'mobile' } }, ['body.proxy.type literal_error']],
  [
    'an unknown wait_until',
    { wait_config: { wait_until: 'ready' } },
    ['body.wait_config.wait_until literal_error'],
  ],
  [
    'a wait_for that is no selector',
    { wait_config: { wait_for: 'div[' } },
    ['body.wait_config.wait_for selector_parsing'],
    'INVALID_WAIT_FOR_SELECTOR',
  ],
  [
    'a wait_for that is no XPath',
    { wait_config: { wait_for: '//div[' } },
    ['body.wait_config.wait_for selector_parsing'],
    'INVALID_WAIT_FOR_SELECTOR',
  ],
  [
    'a wait_for that is too long',
    { wait_config: { wait_for: `#${'a'.repeat(4096)}` } },
    ['body.wait_config.wait_for string_too_long'],
  ],
  [
    'a negative wait_timeout',
    { wait_config: { wait_timeout: -1 } },
    ['body.wait_config.wait_timeout greater_than_equal'],
  ],
  [
    'a long wait_timeout',
    { wait_config: { wait_timeout: 30_001 } },
    ['body.wait_config.wait_timeout less_than_equal'],
  ],
  ['a short timeout', { timeout: 999 }, ['body.timeout greater_than_equal']],
  ['a long timeout', { timeout: 300_001 }, ['body.timeout less_than_equal']],
  ['a timeout with a fraction', { timeout: 1000.5 }, ['body.timeout int_type']],
  [
    'a text for only_main_content',
    { only_main_content: 'yes' },
    ['body.only_main_content bool_type'],
  ],
  ['a text for extract_links', { extract_links: 1 }, ['body.extract_links bool_type']],
  ['rules that are no map', { extract_rules: [] }, ['body.extract_rules dict_type']],
  ['an unknown method', { method: 'TRACE' }, ['body.method literal_error']],
  ['a GET with a body', { body: 'x' }, ['body.body value_error']],
  ['a POST in a browser', { method: 'POST', render_js: true }, ['body.render_js value_error']],
  [
    'a screenshot of a POST',
    { method: 'POST', formats: ['screenshot'] },
    ['body.configurations.screenshot value_error'],
  ],
  [
    'an unknown configuration',
    { configurations: { mod: 1 } },
    ['body.configurations.mod extra_forbidden'],
  ],
]

test('a bad request field of an extraction', async (t) => {
  const { createAccount } = await startTestService(t, { environment: reachingLoopback })
  const account = await createAccount()

  for (const [name, given, expected, code = 'UNPROCESSABLE_CONTENT'] of faults) {
    await t.test(`${name} gets 422 with the extraction error and \`detail\``, async () => {
      const url = name === 'no url' ? {} : { url: 'http://target.test/' }
      const response = await extract(account, { ...url, ...given })

      assert.deepEqual(faultsOfExtraction(response), expected)
      const { error } = failureIn(response)
      assert.deepEqual([error.code, error.retryable], [code, false])
      assert.deepEqual(error.details, { reason: 'VALIDATION_ERROR' })
    })
  }

  await t.test('a body that is nested too deeply gets the same', async () => {
    const deep = `${'['.repeat(19_000)}${']'.repeat(19_000)}`
    const body = `{"url": "http://target.test/", "method": "POST", "body": ${deep}}`

    assert.deepEqual(faultsOfExtraction(await extract(account, body)), ['body recursion_loop'])
  })

  await t.test('a body that is no JSON gets the same', async () => {
    const response = await extract(account, '{')

    assert.match(faultsOfExtraction(response).join(), /json_invalid/)
    assert.deepEqual(Object.keys(ExtractionProblem.parse(response.json())), [
      'error',
      'tokens_charged',
      'detail',
    ])
  })
})

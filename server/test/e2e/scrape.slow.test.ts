import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { startCommandRuns } from '../support/command-runs.ts'
import { endOf } from '../support/run-job-command.ts'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

interface Answered {
  status: number
  headers?: Record<string, string>
  body: string
}

const asJson = { 'content-type': 'application/json' }

interface Asked {
  path: string | undefined
  headers: IncomingHttpHeaders
  body: unknown
}

const page: Answered = {
  status: 200,
  headers: { 'content-type': 'text/html', 'x-target-status': '200', 'x-engine': 'http' },
  body: '<h1>Grüße</h1>',
}

/** A server that gives every request the same response, to try each response of a service. */
async function startAnswering(t: TestContext, answer: Answered) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request))
    asked.push({ path: request.url, headers: request.headers, body })
    response.writeHead(answer.status, answer.headers).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, asked }
}

test('trawl scrape', async (t) => {
  const cwd = await scratchFolder(t)
  const trawl = await startCommandRuns(t, { cwd, environment: {} })

  await t.test(
    'trawl scrape prints the page to stdout and messages to stderr, exit 0',
    async (t) => {
      const { url, asked } = await startAnswering(t, page)

      const { code, stdout, stderr } = await trawl([
        'scrape',
        'https://example.com/',
        '--server',
        url,
        '--api-key',
        'a key',
      ])

      assert.equal(code, 0, stderr)
      assert.equal(stdout, page.body)
      assert.match(
        stderr,
        /Scraping https:\/\/example\.com\/\n200 by the engine http in \d+\.\d s\n/,
      )
      assert.equal(asked[0]?.path, '/api/scraper/scrape/realtime')
      assert.equal(asked[0]?.headers['x-api-key'], 'a key')
      assert.deepEqual(asked[0]?.body, { url: 'https://example.com/', configurations: {} })
    },
  )

  await t.test(
    'flags of trawl scrape become options and override those given as JSON',
    async (t) => {
      const { url, asked } = await startAnswering(t, page)
      const options = JSON.stringify({ country_code: 'de', response_format: 'html' })
      const flags = ['--render', '--json', '--options', options, '--timeout', '20']

      const { code } = await trawl(['https://example.com/', '--server', url, ...flags])

      assert.equal(code, 0)
      assert.deepEqual(asked[0]?.body, {
        url: 'https://example.com/',
        configurations: { country_code: 'de', response_format: 'json', js_render: true },
        timeout_ms: 20_000,
      })
    },
  )

  await t.test('trawl scrape uses key and address of the local service by default', async (t) => {
    const { url, asked } = await startAnswering(t, page)
    const cwd = await scratchFolder(t)
    await writeFile(join(cwd, 'credentials.json'), JSON.stringify({ api_key: 'kept' }))
    const environment = {
      TRAWL_DATA_DIR: cwd,
      TRAWL_PORT: new URL(url).port,
      // For the service itself; no command may send it.
      TRAWL_PASSWORD: 'the password',
    }

    const args = ['scrape', 'http://a.test/']

    const kept = await endOf(runTrawl(t, args, { cwd, environment }))
    await endOf(
      runTrawl(t, args, {
        cwd,
        environment: { ...environment, TRAWL_API_KEY: 'from the environment' },
      }),
    )

    assert.equal(kept.code, 0, kept.stderr)
    assert.deepEqual(
      asked.map(({ headers }) => headers['x-api-key']),
      ['kept', 'from the environment'],
    )
    assert.ok(asked.every(({ headers }) => headers.authorization === undefined))
  })

  await t.test('trawl scrape -o writes to a file and leaves stdout empty', async (t) => {
    const { url } = await startAnswering(t, page)
    const args = ['scrape', 'http://a.test/', '--server', url, '-o']

    const written = await trawl([...args, 'page.html'])
    const refused = await trawl([...args, 'no/such/folder/page.html'])

    assert.equal(written.code, 0)
    assert.equal(written.stdout, '')
    assert.equal(await readFile(join(cwd, 'page.html'), 'utf8'), page.body)
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /Cannot write to no\/such\/folder\/page\.html: ENOENT/)
  })

  const failure = (status: number, code: string): Answered => ({
    status,
    body: JSON.stringify({ code, message: 'Words.', correlation_id: 'x', retryable: false }),
  })

  const refusals: [answer: Answered, code: number, said: RegExp][] = [
    [failure(401, 'UNAUTHORIZED'), 3, /UNAUTHORIZED: Words\. Give --api-key/],
    [failure(404, 'NOT_FOUND'), 4, /NOT_FOUND: Words\./],
    [failure(429, 'QUEUE_FULL'), 5, /QUEUE_FULL/],
    [failure(504, 'TARGET_TIMEOUT'), 7, /TARGET_TIMEOUT/],
    [failure(422, 'TARGET_DNS_FAILED'), 1, /TARGET_DNS_FAILED/],
    [
      { status: 502, body: '<html>\u001b[2J' },
      1,
      /502: http:\S+ responded 502, but not as Trawl does/,
    ],
    [{ status: 404, body: '<html>' }, 6, /^http:\S+ responded 404, but not as Trawl does/m],
    [{ status: 200, body: '<html>' }, 6, /^http:\S+ responded 200, but not as Trawl does/m],
    [
      {
        status: 422,
        body: JSON.stringify({
          code: 'VALIDATION_ERROR',
          message: 'Faults.',
          detail: [
            { loc: ['body', 'configurations', 'mdoe'], msg: 'Extra', type: 'extra_forbidden' },
          ],
        }),
      },
      2,
      /VALIDATION_ERROR: The request is not valid\.\n {2}configurations\.mdoe: Extra/,
    ],
  ]

  for (const [answer, exitCode, said] of refusals) {
    await t.test(
      `trawl scrape ends with exit ${exitCode} for a ${answer.status} (${said.source.slice(0, 20)})`,
      async (t) => {
        const { url } = await startAnswering(t, answer)

        const { code, stdout, stderr } = await trawl(['scrape', 'http://a.test/', '--server', url])

        assert.equal(code, exitCode)
        assert.equal(stdout, '')
        assert.match(stderr, said)
        assert.doesNotMatch(stderr, /<html>/)
      },
    )
  }

  for (const key of ['short', 'wrong-but-long-enough', 'with a \n line break']) {
    await t.test(`the key ${JSON.stringify(key)} is refused by its variable, exit 3`, async (t) => {
      const { url } = await startAnswering(t, failure(401, 'UNAUTHORIZED'))
      const environment = { TRAWL_API_KEY: key, TRAWL_URL: url }

      const args = ['scrape', 'http://a.test/']
      const { code, stderr } = await endOf(runTrawl(t, args, { cwd, environment }))

      assert.equal(code, 3)
      assert.match(stderr, /^UNAUTHORIZED: .*TRAWL_API_KEY/m)
      assert.ok(!stderr.includes(key), stderr)
    })
  }

  await t.test('trawl scrape says that no service answers, exit 6', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    const args = ['scrape', 'http://a.test/', '--server', `http://127.0.0.1:${port}`]

    const { code, stderr } = await trawl(args)

    assert.equal(code, 6)
    assert.match(stderr, /No service answers at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/)
  })

  for (const { words, says } of [
    { words: ['--options', '[]'], says: /such as \{"country_code":"de"\}/ },
    { words: ['--options', '{'], says: /such as \{"country_code":"de"\}/ },
    { words: ['--rules', '[]'], says: /such as \{"title":"h1"\}/ },
    { words: ['--timeout', '301'], says: /whole number/ },
    { words: ['--server', 'nowhere'], says: /URL such as http:/ },
  ]) {
    await t.test(`trawl scrape ${words.join(' ')} is bad usage, exit 2`, async () => {
      const { code, stderr } = await trawl(['scrape', 'http://a.test/', ...words])

      assert.equal(code, 2)
      assert.match(stderr, says)
    })
  }

  const extraction = {
    data: {
      html: null,
      markdown: '# Cod',
      text: 'Cod',
      links: ['https://a.test/', 'https://b.test/'],
    },
    metadata: { http_status: 200, engine: 'http' },
  }

  const printed = {
    markdown: '# Cod\n',
    text: 'Cod\n',
    links: 'https://a.test/\nhttps://b.test/\n',
    json: `${JSON.stringify(extraction, null, 2)}\n`,
  }

  for (const [format, expected] of Object.entries(printed)) {
    await t.test(`trawl scrape --format ${format} prints the page as ${format}`, async (t) => {
      const { url, asked } = await startAnswering(t, {
        status: 200,
        headers: asJson,
        body: JSON.stringify(extraction),
      })

      const { code, stdout, stderr } = await trawl([
        ...['scrape', 'https://example.com/', '--server', url, '--format', format],
        ...['--timeout', '9', '--options', '{"device_type":"mobile"}'],
      ])

      assert.deepEqual([code, stdout], [0, expected], stderr)
      assert.match(stderr, /200 by the engine http in/)
      assert.equal(asked[0]?.path, '/v1/extract')
      const body = asked[0]?.body as Record<string, unknown>
      const { url: target, formats, timeout, configurations } = body
      assert.deepEqual([target, timeout], ['https://example.com/', 9000])
      assert.deepEqual(configurations, { device_type: 'mobile' })
      assert.deepEqual(formats, format === 'json' ? ['markdown', 'links', 'metadata'] : [format])
    })
  }

  await t.test(
    'trawl scrape --format ends what it prints with one line break and keeps all digits',
    async (t) => {
      const body = '{"data":{"text":"a\\n","json":{"id":12345678901234567890}},"metadata":{}}'
      const { url } = await startAnswering(t, { status: 200, headers: asJson, body })
      const args = ['scrape', 'https://example.com/', '--server', url, '--format']

      assert.equal((await trawl([...args, 'text'])).stdout, 'a\n')
      assert.match((await trawl([...args, 'json'])).stdout, /"id": 12345678901234567890\n/)
    },
  )

  await t.test('trawl scrape --format says why it prints nothing', async (t) => {
    const metadata = { http_status: 200, engine: 'http' }
    const file = { url: 'http://a.test/file', bytes: 9, content_type: 'image/png' }
    const answers: [data: object, format: string, said: RegExp][] = [
      [
        { text: null, file },
        'text',
        /type image\/png with 9 bytes, to be opened at http:\/\/a\.test\/file, in/,
      ],
      [{ links: [] }, 'links', /200 by the engine http, without links, in/],
    ]
    for (const [data, format, said] of answers) {
      const body = JSON.stringify({ data, metadata })
      const { url } = await startAnswering(t, { status: 200, headers: asJson, body })
      const args = ['scrape', 'https://example.com/', '--server', url, '--format', format]

      const { code, stdout, stderr } = await trawl(args)

      assert.deepEqual([code, stdout], [0, ''])
      assert.match(stderr, said)
    }
  })

  await t.test('trawl scrape --format names the reason of a failed extraction', async (t) => {
    const error = { code: 'TIMEOUT', message: 'Too late.', details: { reason: 'TARGET_TIMEOUT' } }
    const { url } = await startAnswering(t, { status: 422, body: JSON.stringify({ error }) })

    const { code, stderr } = await trawl([
      ...['scrape', 'https://example.com/', '--server', url, '--format', 'text'],
    ])

    assert.notEqual(code, 0)
    assert.match(stderr, /TARGET_TIMEOUT: Too late\./)
  })
})

/** Extractions of responses that are no pages in UTF-8: other kinds of content, other charsets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { encode } from '../support/encode-charset.ts'
import { extract, extracted, failureIn, getJob, once } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { pdfOf } from '../support/pdf-of.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

const everyFormat = ['html', 'markdown', 'text', 'links', 'metadata']
const extract_rules = { title: 'h1' }

const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>Catch of the day</title>
  <link>https://fish.test/</link><item><title>Cod &amp; chips</title><link>/cod</link>
  <pubDate>Tue, 02 Jun 2026 09:00:00 GMT</pubDate><description>&lt;b&gt;Fresh&lt;/b&gt;</description></item></channel></rss>`

const pdf = pdfOf(
  [
    [
      [24, 50, 700, 'A title'],
      [11, 50, 660, 'Some text.'],
    ],
  ],
  {
    info: '/Title (A paper)',
  },
)
const key = '61'.repeat(32)
const encryptedPdf = pdfOf([[[11, 50, 700, 'x']]], {
  trailer: `/ID [<${key}> <${key}>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >>`,
})

onBothStores((kind, start) => {
  test(`${kind}: an extraction of content that is no page`, async (t) => {
    const site = await startPageSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    let served = 0
    /** Serves a response at a path of its own and returns its URL. */
    function serve(headers: Record<string, string>, body: string | Buffer): string {
      const path = `/content/${++served}`
      site.page(path, (_, response) => response.writeHead(200, headers).end(body))
      return site.url(path)
    }
    const everything = (type: string, body: string | Buffer, headers = {}) =>
      extract(account, {
        url: serve({ 'content-type': type, ...headers }, body),
        formats: everyFormat,
        extract_rules,
        ...once,
      })

    await t.test('JSON is in `data.json` as it was written, and as text and code', async () => {
      const json = '{"id": 12345678901234567890, "name": "größer"}'
      const response = await everything('application/json', json)

      const { data, metadata } = response.json()
      assert.ok(response.text.includes(`"json":${json}`), response.text)
      assert.deepEqual([data.html, data.text, data.extracted], [null, json, null])
      assert.equal(data.markdown, `\`\`\`json\n${json}\n\`\`\`\n`)
      assert.deepEqual([data.links, data.metadata.title], [[], null])
      assert.equal(metadata.content_type, 'application/json')
      const job = await getJob(account, response.headers['x-job-id'] ?? '')
      assert.deepEqual(job.data, data)
    })

    await t.test('JSON with a wrong charset is text, and the response stays readable', async () => {
      const { data } = (await everything('application/json; charset=utf-16le', '{"a":1}')).json()

      assert.equal('json' in data, false)
      assert.equal(typeof data.text, 'string')
    })

    await t.test('JSON in UTF-16 with a byte order mark is read', async () => {
      const bytes = Buffer.from('\ufeff{"a":"größer"}', 'utf16le')
      const { data } = (await everything('application/json', bytes)).json()

      assert.deepEqual(data.json, { a: 'größer' })
    })

    await t.test('plain text is not changed by any format', async () => {
      const text = '  * a < b & c\n\n<p>not a page</p>\n'
      const { data } = (await everything('text/plain; charset=utf-8', text)).json()

      assert.deepEqual([data.html, data.text, data.markdown], [null, text, text])
      assert.deepEqual([data.links, data.extracted], [[], null])
    })

    await t.test('content without HTML has its text, if only HTML was asked for', async () => {
      const notes = serve({ 'content-type': 'text/plain' }, 'some notes')
      const paper = serve({ 'content-type': 'application/pdf' }, pdf)

      assert.deepEqual((await extracted(account, { url: notes })).data, {
        html: null,
        markdown: null,
        text: 'some notes',
      })
      assert.equal((await extracted(account, { url: paper })).data.text, 'A title\n\nSome text.\n')
    })

    await t.test('XML is its source, and code in markdown', async () => {
      const xml = '<?xml version="1.0"?><list><item>1</item></list>'
      const { data } = (await everything('application/xml', xml)).json()

      assert.deepEqual([data.html, data.text], [xml, xml])
      assert.equal(data.markdown, `\`\`\`xml\n${xml}\n\`\`\`\n`)
    })

    await t.test('a feed is a list of its entries', async () => {
      const { data } = (await everything('application/rss+xml', feed)).json()

      assert.equal(data.html, feed)
      assert.match(data.text, /Catch of the day\n\nCod & chips\n2026-06-02T09:00:00/)
      assert.match(data.markdown, /^# \[Catch of the day\]\(<https:\/\/fish\.test\/>\)/)
      assert.deepEqual(data.links.length, 1)
      assert.match(data.links[0], /\/cod$/)
      assert.equal(data.metadata.title, 'Catch of the day')
    })

    for (const [name, type, body, headers] of [
      ['a PDF', 'application/pdf', pdf, {}],
      ['a PDF that is sent as a download', 'application/octet-stream', pdf, {}],
      ['a PDF that is sent as HTML', 'text/html', pdf, {}],
      [
        'a compressed download that is a PDF',
        'application/octet-stream',
        gzipSync(pdf),
        { 'content-encoding': 'gzip' },
      ],
    ] as const) {
      await t.test(`${name} is read as text and markdown, now and later`, async () => {
        const response = await everything(type, body, headers)

        const { data, metadata } = response.json()
        assert.deepEqual([data.html, data.text], [null, 'A title\n\nSome text.\n'])
        assert.equal(data.markdown, '# A title\n\nSome text.\n')
        assert.deepEqual([data.links, data.extracted], [[], null])
        assert.deepEqual([data.metadata.title, metadata.content_type], ['A paper', type])
        assert.deepEqual(data.pdf, { page_count: 1, is_truncated: false })
        assert.equal('file' in data, false)
        const job = await getJob(account, response.headers['x-job-id'] ?? '')
        assert.deepEqual(job.data, data)
      })
    }

    await t.test('a compressed PDF whose type is wrong is a file that can be opened', async () => {
      const gzip = { 'content-encoding': 'gzip' }
      const { data } = (await everything('text/html', gzipSync(pdf), gzip)).json()

      const opened = await fetch(data.file.url)
      assert.deepEqual(Buffer.from(await opened.arrayBuffer()), pdf)
      assert.equal(data.file.bytes, pdf.length)
    })

    await t.test('a PDF of more than 500 pages says that it is truncated', async () => {
      const pages = Array.from(
        { length: 501 },
        () => [[11, 50, 700, 'x']] as [number, number, number, string][],
      )
      const { data } = (await everything('application/pdf', pdfOf(pages))).json()

      assert.deepEqual(data.pdf, { page_count: 501, is_truncated: true })
    })

    for (const [name, body] of [
      ['encrypted', encryptedPdf],
      ['broken', Buffer.from(`%PDF-1.4\n${'x'.repeat(1000)}`)],
    ] as const) {
      await t.test(`a PDF that is ${name} fails with UNSUPPORTED_CONTENT`, async () => {
        const response = await everything('application/pdf', body)

        const { error } = failureIn(response)
        assert.equal(error.code, 'UNPROCESSABLE_CONTENT')
        assert.deepEqual(error.details, { reason: 'UNSUPPORTED_CONTENT' })
        assert.equal(error.retryable, false)
        const job = await getJob(account, response.headers['x-job-id'] ?? '')
        assert.deepEqual([job.status, job.error?.details], ['failed', error.details])
      })
    }

    await t.test('images and other files have a link, and no text that is mangled', async () => {
      const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0xff])
      for (const type of ['image/png', 'image/svg+xml', 'application/zip', 'video/mp4']) {
        const { data } = (await everything(type, bytes)).json()

        const { file, metadata, ...others } = data
        assert.deepEqual(others, {
          html: null,
          markdown: null,
          text: null,
          links: [],
          extracted: null,
        })
        assert.deepEqual([file.bytes, file.content_type], [bytes.length, type])
        assert.equal(metadata.title, null)
      }
    })

    await t.test('a file without a content type is sent as bytes', async () => {
      const url = serve({}, Buffer.from([0, 1, 2, 3, 0xff]))
      const { data, metadata } = await extracted(account, { url })

      assert.equal(data.file?.content_type, 'application/octet-stream')
      assert.equal(metadata.content_type, null)
    })

    const texts: [text: string, charset: string][] = [
      ['Вчера в Москве прошла встреча представителей компаний.', 'windows-1251'],
      ['Вчера в Москве прошла встреча представителей компаний.', 'koi8-r'],
      ['昨日、東京で主要企業の代表者による会議が開かれました。', 'shift_jis'],
      ['昨日、東京で主要企業の代表者による会議が開かれました。', 'euc-jp'],
      ['昨天在北京举行了主要公司代表会议。与会者讨论了明年的计划。', 'gbk'],
      ['昨天在台北舉行了主要公司代表會議。與會者討論了明年的計劃。', 'big5'],
      ['어제 서울에서 주요 기업 대표들의 회의가 열렸습니다.', 'euc-kr'],
      ['Wczoraj w Łodzi odbyło się spotkanie przedstawicieli firm.', 'iso-8859-2'],
      ['Χθες στην Αθήνα πραγματοποιήθηκε συνάντηση εκπροσώπων.', 'iso-8859-7'],
      ['Gestern fand in München ein Treffen großer Firmen statt.', 'windows-1252'],
    ]
    const declarations: [name: string, type: (charset: string) => string, isInMarkup: boolean][] = [
      ['by its header', (charset) => `text/html; charset=${charset}`, false],
      ['by its markup', () => 'text/html', true],
      ['by its markup although the header says UTF-8', () => 'text/html; charset=utf-8', true],
      ['without any declaration', () => 'text/html', false],
    ]
    for (const [name, type, isInMarkup] of declarations) {
      await t.test(`a page in a legacy charset is read ${name}`, async () => {
        for (const [text, charset] of texts) {
          const meta = isInMarkup ? `<meta charset="${charset}">` : ''
          const page = `<html><head>${meta}<title>t</title></head><body><p>${text} ${text}</p></body></html>`
          const url = serve({ 'content-type': type(charset) }, encode(page, charset))

          const { data } = await extracted(account, { url, formats: ['html', 'text', 'markdown'] })

          assert.equal(data.html, page, charset)
          assert.equal(data.text?.trim(), `${text} ${text}`, charset)
          assert.equal(data.markdown?.trim(), `${text} ${text}`, charset)
        }
      })
    }

    await t.test('a byte order mark wins over every declaration and is dropped', async () => {
      const page = '<meta charset="koi8-r"><p>größer €</p>'
      const marked: Buffer[] = [
        Buffer.from(`\ufeff${page}`),
        Buffer.from(`\ufeff${page}`, 'utf16le'),
        Buffer.from(`\ufeff${page}`, 'utf16le').swap16(),
      ]
      for (const bytes of marked) {
        const url = serve({ 'content-type': 'text/html; charset=windows-1251' }, bytes)
        const { data } = await extracted(account, { url, formats: ['html', 'text'] })

        assert.deepEqual([data.html, data.text?.trim()], [page, 'größer €'])
      }
    })

    await t.test('bytes that no charset has become U+FFFD', async () => {
      const bytes = Buffer.concat([
        Buffer.from('<p>ü'),
        Buffer.of(0xff, 0xc0),
        Buffer.from('ü</p>'),
      ])
      const url = serve({ 'content-type': 'text/html; charset=utf-8' }, bytes)
      const { data } = await extracted(account, { url, formats: ['text'] })

      assert.equal(data.text?.trim(), 'ü\ufffd\ufffdü')
    })
  })
})

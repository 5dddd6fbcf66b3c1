import assert from 'node:assert/strict'
import test from 'node:test'
import { pdfOf } from '../../../test/support/pdf-of.ts'
import { readPdf } from './read-pdf.ts'

const url = 'https://papers.test/a.pdf'

const longLine = 'This is running text that goes on to the next line as para-'

test('a PDF has headings by size, paragraphs, lists and links', async () => {
  const page: [number, number, number, string][] = [
    [24, 50, 700, 'A title'],
    [16, 50, 660, '1. A section'],
    [11, 50, 630, longLine],
    [11, 50, 616, 'graphs do [here].'],
    [11, 50, 580, '- one thing'],
    [11, 50, 566, '- another thing'],
    [11, 50, 530, 'See'],
    [11, 80, 530, 'our page'],
  ]
  const link =
    '/Annots [<< /Type /Annot /Subtype /Link /Rect [78 528 130 542] /A << /S /URI /URI (https://our.test/x) >> >>]'

  const { text, markdown, links } = await readPdf(pdfOf([page], { page: link }), url)

  assert.equal(
    markdown,
    `# A title

## 1. A section

This is running text that goes on to the next line as paragraphs do \\[here\\].

- one thing
- another thing

See [our page](<https://our.test/x>)
`,
  )
  assert.match(text, /^A title\n\n1\. A section\n\nThis is running text .* do \[here\]\.\n/)
  assert.deepEqual(links, ['https://our.test/x'])
})

test('pages are divided, and lines that stand on every page are left out', async () => {
  const pages = [1, 2, 3, 4].map((number): [number, number, number, string][] => [
    [9, 50, 760, 'Annual report'],
    [11, 50, 700, `The text of page ${['one', 'two', 'three', 'four'][number - 1]}`],
    [9, 300, 20, `Page ${number} of 4`],
  ])

  const { text, markdown, pageCount } = await readPdf(pdfOf(pages), url)

  assert.equal(pageCount, 4)
  assert.equal(markdown.split('\n\n---\n\n').length, 4)
  assert.equal(text.split('\f').length, 4)
  assert.doesNotMatch(text, /Annual|of 4/)
})

test('the information of a PDF is its metadata', async () => {
  const info =
    "/Title (A paper) /Author (Ann Bee) /Keywords (one, two) /CreationDate (D:20210304101112+02'00') /ModDate (D:2021)"

  const { metadata } = await readPdf(pdfOf([[[11, 50, 700, 'x']]], { info }), url)

  assert.deepEqual(metadata, {
    title: 'A paper',
    description: null,
    author: 'Ann Bee',
    language: 'en',
    keywords: ['one', 'two'],
    published_time: '2021-03-04T08:11:12.000Z',
    modified_time: '2021-01-01',
  })
})

test('a PDF without text is empty', async () => {
  const { text, markdown, isCut } = await readPdf(pdfOf([[]]), url)

  assert.deepEqual([text, markdown, isCut], ['\n', '\n', false])
})

test('pages beyond 500 are left out', async () => {
  const pages = Array.from({ length: 505 }, (_, index): [number, number, number, string][] => [
    [11, 50, 700, `page ${index}`],
  ])

  const { pageCount, isCut } = await readPdf(pdfOf(pages), url)

  assert.deepEqual([pageCount, isCut], [505, true])
})

test('an encrypted PDF fails with UNSUPPORTED_CONTENT', async () => {
  const key = '61'.repeat(32)
  const trailer = `/ID [<${key}> <${key}>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >>`

  await assert.rejects(readPdf(pdfOf([[[11, 50, 700, 'x']]], { trailer }), url), {
    code: 'UNSUPPORTED_CONTENT',
    message: /password/,
  })
})

test('a broken PDF fails with UNSUPPORTED_CONTENT', async () => {
  for (const bytes of ['', '%PDF-1.4', `%PDF-1.4\n${'x'.repeat(10_000)}`]) {
    await assert.rejects(readPdf(Buffer.from(bytes), url), { code: 'UNSUPPORTED_CONTENT' })
  }
})

test('a PDF whose table of objects is wrong is read', async () => {
  const whole = pdfOf([[[11, 50, 700, 'still here']]]).toString('latin1')
  const wrong = whole.replace(/startxref\n\d+/, 'startxref\n9').replace(/^\d{10}/gm, '0000000007')

  const { text } = await readPdf(Buffer.from(wrong, 'latin1'), url)

  assert.equal(text, 'still here\n')
})

test('the bytes of the caller are not changed or detached', async () => {
  const bytes = pdfOf([[[11, 50, 700, 'x']]])
  const before = bytes.toString('latin1')

  await readPdf(bytes, url)

  assert.equal(bytes.toString('latin1'), before)
})

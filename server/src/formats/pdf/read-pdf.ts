import { getDocumentProxy } from 'unpdf'
import { Failure } from '../../domain/failure.ts'
import { absoluteUrl } from '../dom/absolute-url.ts'
import { collapseSpace } from '../dom/collapse-space.ts'
import { parseTime } from '../metadata/parse-time.ts'
import { layOut, type PdfItem, type PdfLink, type PdfPage } from './pdf-layout.ts'
import { pdfMarkdown, pdfText } from './pdf-markdown.ts'

const pagesMax = 500
const charactersMax = 4 * 2 ** 20
const linksMax = 10_000

/**
 * Reads the text of a PDF. It can take long and much memory on hostile files: call it only in a process
 * that can be ended. It fails with UNSUPPORTED_CONTENT where the file is encrypted or broken.
 */
export async function readPdf(bytes: Uint8Array, url: string) {
  const document = await open(bytes)
  try {
    const pages: PdfPage[] = []
    let characters = 0
    while (pages.length < Math.min(document.numPages, pagesMax) && characters < charactersMax) {
      const page = await readPage(document, pages.length + 1, url)
      characters += page.items.reduce((sum, { text }) => sum + text.length, 0)
      pages.push(page)
    }
    const blocks = layOut(pages)
    return {
      text: pdfText(blocks),
      markdown: pdfMarkdown(blocks),
      links: [...new Set(pages.flatMap((page) => page.links.map((link) => link.url)))].slice(
        0,
        linksMax,
      ),
      metadata: await readInformation(document),
      pageCount: document.numPages,
      /** Pages beyond the limit were left out. */
      isCut: pages.length < document.numPages,
    }
  } catch (error) {
    throw error instanceof Failure ? error : unreadable(error)
  } finally {
    await document.loadingTask.destroy()
  }
}

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>

async function open(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    // The library detaches the buffer that it is given, and the caller may still need it.
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      disableFontFace: true,
      isEvalSupported: false,
      useSystemFonts: false,
      useWorkerFetch: false,
      stopAtErrors: false,
    } as Parameters<typeof getDocumentProxy>[1])
  } catch (error) {
    throw unreadable(error)
  }
}

const unreadable = (error: unknown): Failure =>
  error instanceof Error && error.name === 'PasswordException'
    ? new Failure('UNSUPPORTED_CONTENT', 'The PDF is encrypted with a password.', { cause: error })
    : new Failure('UNSUPPORTED_CONTENT', 'The PDF is broken and cannot be read.', { cause: error })

async function readPage(document: PdfDocument, number: number, url: string): Promise<PdfPage> {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  const annotations: unknown[] = await page.getAnnotations()
  page.cleanup()
  return {
    items: items.flatMap((item) => ('str' in item ? [toItem(item)] : [])),
    links: annotations.flatMap((annotation) => toLinks(annotation, url)).slice(0, 1_000),
  }
}

interface TextPiece {
  str: string
  transform: number[]
  width: number
  height: number
  hasEOL: boolean
}

function toItem({ str, transform, width, height, hasEOL }: TextPiece): PdfItem {
  const [a = 0, b = 0, , , x = 0, y = 0] = transform
  // Text that is turned has its size in the other elements of the matrix.
  const size = height || Math.hypot(a, b)
  return { text: str.toWellFormed(), x, y, width, size, isLineEnd: hasEOL }
}

interface LinkAnnotation {
  subtype?: string
  url?: string
  unsafeUrl?: string
  rect?: number[]
}

function toLinks(annotation: unknown, baseUrl: string): PdfLink[] {
  const { subtype, url, unsafeUrl, rect } = annotation as LinkAnnotation
  const target = absoluteUrl(url ?? unsafeUrl ?? '', baseUrl)
  if (subtype !== 'Link' || !target || (url ?? unsafeUrl) === undefined || !rect) return []
  const [left = 0, bottom = 0, right = 0, top = 0] = rect
  return [{ url: target.href, left, bottom, right, top }]
}

async function readInformation(document: PdfDocument) {
  const { info } = await document.getMetadata()
  const fields = info as Record<string, unknown>
  const text = (name: string): string | null => {
    const value = fields[name]
    return typeof value === 'string'
      ? collapseSpace(value.slice(0, 5_000)).toWellFormed() || null
      : null
  }
  return {
    title: text('Title'),
    description: text('Subject'),
    author: text('Author'),
    language: text('Language'),
    keywords: (text('Keywords') ?? '')
      .split(/[,;]/)
      .map((word) => word.trim())
      .filter(Boolean)
      .slice(0, 100),
    published_time: pdfTime(text('CreationDate')),
    modified_time: pdfTime(text('ModDate')),
  }
}

/** PDFs write times as `D:20210304101112+02'00'`. */
function pdfTime(text: string | null): string | null {
  const [, year, month = '01', day = '01', time = '', zone = ''] =
    /^D:(\d{4})(\d{2})?(\d{2})?(\d{6})?([+\-Z][\d']*)?/.exec(text ?? '') ?? []
  if (year === undefined) return null
  if (time === '') return parseTime(`${year}-${month}-${day}`) ?? null
  const offset = zone.startsWith('Z') ? 'Z' : zone.replaceAll("'", '')
  return parseTime(`${year}${month}${day}T${time}${offset}`) ?? null
}

import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLines } from '@trawl/sdk'
import { indentJson } from '../output/print.ts'
import { explainFileError, openStdoutLines } from '../output/write-output.ts'
import { isId } from './arguments.ts'
import type { PageFormat } from './page-options.ts'
import { resultFileName } from './result-file-name.ts'

interface JobResultLine {
  /** Null for a URL that was refused with its whole batch. */
  jobId: string | null
  /** As the service sent it, with the place in the whole list. */
  json: string
  item: Record<string, unknown>
  format: PageFormat
}

/** Where the results go. */
export interface ResultSink extends AsyncDisposable {
  write(result: JobResultLine): Promise<void>
}

/** Prints each result as a line of JSON. */
export function stdoutSink(): ResultSink {
  const lines = openStdoutLines()
  return {
    write: ({ json }) => lines.write(json),
    [Symbol.asyncDispose]: async () => lines[Symbol.dispose](),
  }
}

const indexName = 'index.ndjson'
const indexLineCharactersMax = 2 ** 20

const endings: Record<PageFormat, string> = {
  markdown: '.md',
  text: '.txt',
  html: '.html',
  links: '.links.txt',
  json: '.json',
}

/** A line of the index: what became of a page, and the file that has it. */
interface IndexEntry {
  url: unknown
  status: unknown
  file: string | null
  job_id: string | null
  task_id: unknown
  [more: string]: unknown
}

/**
 * Writes each page to a file of its own, then a line about it to the index. Files are never overwritten.
 * With a resumed job, pages that the index has are left out.
 */
export async function openResultFolder(
  folder: string,
  { resumedId }: { resumedId: string | undefined },
): Promise<ResultSink> {
  const cannotWrite = (error: unknown) => explainFileError(error, `Cannot write to ${folder}`)
  try {
    await mkdir(folder, { recursive: true })
    const written = resumedId === undefined ? new Map() : await readWritten(folder, resumedId)
    const index = await openIndex(join(folder, indexName))
    return {
      async write(result) {
        const key = keyOf(result.item)
        if (written.get(key) === result.item['status']) return
        try {
          await index.write(`${JSON.stringify(await writePage(folder, result))}\n`)
        } catch (error) {
          throw cannotWrite(error)
        }
      },
      [Symbol.asyncDispose]: () => index.close(),
    }
  } catch (error) {
    throw cannotWrite(error)
  }
}

/** A URL that was refused is no task. */
const keyOf = ({ task_id: id, url }: Record<string, unknown>): string =>
  isId(id) ? id : `refused ${url}`

/** The statuses of the pages of a job that the index has. */
async function readWritten(folder: string, jobId: string): Promise<Map<string, unknown>> {
  const written = new Map<string, unknown>()
  const index = createReadStream(join(folder, indexName))
  try {
    for await (const line of readLines(index, { charactersMax: indexLineCharactersMax })) {
      const entry = parseEntry(line)
      if (entry?.job_id !== jobId) continue
      written.set(keyOf(entry), entry.status)
    }
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Error(`${indexName} is not an index of this command.`)
    }
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return written
}

/** Undefined for a line that was cut off when the process was killed. */
function parseEntry(line: string): IndexEntry | undefined {
  try {
    return JSON.parse(line) as IndexEntry
  } catch {
    return undefined
  }
}

/** Opens the index to append to it; a line that was cut off is ended, so that it spoils no other. */
async function openIndex(path: string): Promise<FileHandle> {
  const index = await open(path, 'a+')
  const { size } = await index.stat()
  if (size === 0) return index
  const { buffer } = await index.read(Buffer.alloc(1), 0, 1, size - 1)
  if (buffer.toString() !== '\n') await index.write('\n')
  return index
}

async function writePage(folder: string, result: JobResultLine): Promise<IndexEntry> {
  const { item, format, jobId } = result
  const content = contentOf(result)
  const name = resultFileName(String(item['url']))
  const file =
    content === undefined
      ? null
      : await writeNew(folder, { name, ending: endings[format], content, taskId: item['task_id'] })
  const { data, metadata } = item as {
    data?: PageData | null
    metadata?: { http_status?: number } | null
  }
  return {
    url: item['url'],
    status: item['status'],
    file,
    http_status: metadata?.http_status ?? null,
    ...pick(item, ['error_code', 'error_message', 'input_index', 'depth', 'parent_url']),
    ...(data?.file && { content_type: data.file.content_type, content_url: data.file.url }),
    job_id: jobId,
    task_id: item['task_id'] ?? null,
  }
}

type PageData = Record<string, unknown> & { file?: { url: string; content_type: string } | null }

const pick = (item: Record<string, unknown>, names: string[]) =>
  Object.fromEntries(names.filter((name) => name in item).map((name) => [name, item[name]]))

/** Undefined for a page that has nothing in this format, such as an image or a failure. */
function contentOf({ item, json, format }: JobResultLine): string | undefined {
  if (item['status'] !== 'completed') return undefined
  if (format === 'json') return `${indentedIfPossible(json)}\n`
  const content = (item['data'] as PageData | null)?.[format]
  if (Array.isArray(content)) return content.map((link) => `${link}\n`).join('')
  return typeof content === 'string' ? content : undefined
}

/** The functions of JSON recurse, and the content of a page may be nested deeper than their stack. */
function indentedIfPossible(json: string): string {
  try {
    return indentJson(json)
  } catch (error) {
    if (error instanceof RangeError) return json
    throw error
  }
}

/** Writes a new file and returns its name. Where the name is taken, the id of the page makes another. */
async function writeNew(
  folder: string,
  page: { name: string; ending: string; content: string; taskId: unknown },
): Promise<string> {
  const { name, ending, content, taskId } = page
  const plain = `${name}${ending}`
  try {
    await writeFile(join(folder, plain), content, { flag: 'wx' })
    return plain
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const unique = `${name}-${isId(taskId) ? taskId : randomUUID()}${ending}`
  await writeFile(join(folder, unique), content)
  return unique
}

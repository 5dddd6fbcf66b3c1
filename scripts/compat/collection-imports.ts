import assert from 'node:assert/strict'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OpenApiDocument } from '../../server/src/http/openapi/document.ts'
import { listOperations } from '../../server/src/http/openapi/operations.ts'
import { runCommand } from './command.ts'
import { installPackages } from './install-packages.ts'
import { runChecks } from './run-checks.ts'

const timeoutMs = 120_000
const documentPath = fileURLToPath(new URL('../../openapi.json', import.meta.url))

/** A program that makes a collection of requests from the OpenAPI document. */
interface Importer {
  name: string
  packages: string[]
  /** Below the folder of the packages. */
  program: string
  args(collectionPath: string): string[]
  requestsOf(collection: unknown): ImportedRequest[]
}

interface ImportedRequest {
  method: string
  query: string[]
  body: string | undefined
}

const importers: Importer[] = [
  {
    name: 'bruno',
    packages: ['@usebruno/cli@4.1.0'],
    program: '@usebruno/cli/bin/bru.js',
    args: (path) => ['import', 'openapi', '--source', documentPath, '--output-file', path],
    requestsOf: (collection) =>
      leavesOf<BrunoItem>((collection as BrunoItem).items, ({ items }) => items).map(
        ({ request }) => ({
          method: request?.method ?? '',
          query: (request?.params ?? [])
            .filter(({ type }) => type === 'query')
            .map((one) => one.name),
          body: request?.body.json ?? undefined,
        }),
      ),
  },
  {
    name: 'postman',
    packages: ['openapi-to-postmanv2@6.3.3'],
    program: 'openapi-to-postmanv2/bin/openapi2postmanv2.js',
    args: (path) => ['-s', documentPath, '-o', path, '-O', 'parametersResolution=Example'],
    requestsOf: (collection) =>
      leavesOf<PostmanItem>((collection as PostmanItem).item, ({ item }) => item).map(
        ({ request }) => ({
          method: request?.method ?? '',
          query: (request?.url.query ?? []).map(({ key }) => key),
          body: request?.body?.raw,
        }),
      ),
  },
]

interface BrunoItem {
  items?: BrunoItem[]
  request?: {
    method: string
    params: { name: string; type: string }[]
    body: { json?: string | null }
  }
}

interface PostmanItem {
  item?: PostmanItem[]
  request?: { method: string; url: { query?: { key: string }[] }; body?: { raw?: string } }
}

const leavesOf = <Item>(
  items: Item[] = [],
  childrenOf: (item: Item) => Item[] | undefined,
): Item[] =>
  items.flatMap((item) => {
    const children = childrenOf(item)
    return children ? leavesOf(children, childrenOf) : [item]
  })

/** Imports the OpenAPI document as users of Bruno and Postman do, and looks at the requests they get. */
export async function tryImports(cacheDir: string, signal: AbortSignal) {
  const expected = expectedRequests(JSON.parse(await readFile(documentPath, 'utf8')))
  return await runChecks(importers, signal, {
    sentence: ({ name }) =>
      `${name} imports every operation of openapi.json, with its parameters and example`,
    check: async (importer) =>
      assert.deepEqual(await importWith(importer, cacheDir, signal), expected),
  })
}

async function importWith(
  { name, packages, program, args, requestsOf }: Importer,
  cacheDir: string,
  signal: AbortSignal,
): Promise<string[]> {
  const modules = await installPackages({ name, packages, cacheDir }, signal)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'trawl-import-'))
  const collectionPath = join(folder.path, 'collection.json')
  const { exitCode, output } = await runCommand({
    program: process.execPath,
    args: [join(modules, program), ...args(collectionPath)],
    environment: { PATH: process.env['PATH'], HOME: folder.path },
    timeoutMs,
    signal,
  })
  assert.equal(exitCode, 0, output)
  const requests = requestsOf(JSON.parse(await readFile(collectionPath, 'utf8')))
  return requests
    .map(({ method, query, body }) => lineOf(method, query, body && JSON.parse(body)))
    .sort()
}

/** Of each operation with its first example, as both programs take that one. */
const expectedRequests = (document: OpenApiDocument): string[] =>
  listOperations(document)
    .map(({ method, operation: { parameters = [], requestBody } }) => {
      const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {})
      const query = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
      return lineOf(method.toUpperCase(), query, example && 'value' in example && example.value)
    })
    .sort()

/** Bruno has a parameter several times where it has several values. */
const lineOf = (method: string, query: string[], body: unknown): string =>
  JSON.stringify([method, [...new Set(query)].sort(), body || null])

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mcpTools } from '../../server/src/http/mcp/mcp-tools.ts'
import { runCommand } from './command.ts'
import { installPackages } from './install-packages.ts'
import { runChecks } from './run-checks.ts'
import { startTrawlProcess } from './trawl-process.ts'

const packages = ['@modelcontextprotocol/inspector@2.12.0']
const program = '@modelcontextprotocol/inspector/clients/launcher/build/index.js'
const root = fileURLToPath(new URL('../..', import.meta.url))
const timeoutMs = 60_000

/** Runs the inspector with these arguments; returns its exit code and the result of the method. */
type Inspect = (...args: string[]) => Promise<Inspected>

interface Inspected {
  exitCode: number | null
  output: string
  result?: { tools?: { name: string }[]; content?: { text: string }[] }
}

/** The tools through the inspector that the authors of MCP publish: by HTTP, and by our command. */
export async function tryInspector(cacheDir: string, signal: AbortSignal) {
  const folder = await installPackages({ name: 'inspector', packages, cacheDir }, signal)
  await using service = await startTrawlProcess(signal)
  await using site = await startSite()

  const inspect: Inspect = async (...args) => {
    const { exitCode, output } = await runCommand({
      program: process.execPath,
      args: [join(folder, program), '--cli', '--format', 'json', '--stored-auth-only', ...args],
      // Its settings and secrets, and the cache of npx, go into the home folder.
      environment: { PATH: process.env['PATH'], HOME: service.folder },
      timeoutMs,
      signal,
    })
    const line = output.split('\n').find((one) => one.startsWith('{"result":'))
    return { exitCode, output, ...(line ? JSON.parse(line) : {}) }
  }

  const apiKey = service.credentials.TRAWL_API_KEY
  const place = { url: service.url, apiKey, page: site.url }
  return await runChecks(Object.entries(checks), signal, {
    sentence: ([name]) => `the inspector of MCP ${name}`,
    check: ([, check]) => check(inspect, place),
  })
}

interface Place {
  url: string
  apiKey: string
  /** A page to extract. */
  page: string
}

const checks: Record<string, (inspect: Inspect, place: Place) => Promise<void>> = {
  // With --strict it fails for a schema that other programs cannot read.
  async 'lists the tools by HTTP, after the handshake of older revisions'(inspect, place) {
    const list = ['--method', 'tools/list', '--strict', '--protocol-era', 'legacy']
    expectTools(await inspect(...byHttp(place), ...list))
  },
  async 'lists the tools by HTTP, in the newest revision'(inspect, place) {
    const list = ['--method', 'tools/list', '--strict', '--protocol-era', 'modern']
    expectTools(await inspect(...byHttp(place), ...list))
  },
  async 'lists the tools, and calls one, through npx trawl mcp'(inspect, { url, apiKey }) {
    const settings = { TRAWL_URL: url, TRAWL_API_KEY: apiKey, npm_config_update_notifier: 'false' }
    const given = Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${value}`])
    const byCommand = (...method: string[]) =>
      inspect('--cwd', root, ...given, ...method, 'npx', 'trawl', 'mcp')
    expectTools(await byCommand('--method', 'tools/list', '--strict'))
    outputOf(await byCommand('--method', 'tools/call', '--tool-name', 'statistics'))
  },
  async 'calls extract, and finds the page with jobs and in statistics'(inspect, place) {
    const extracted = await call(inspect, place, 'extract', { url: place.page })
    assert.equal(extracted.text, '# Grüße')
    const { jobs } = JSON.parse((await call(inspect, place, 'jobs', { kind: 'extract' })).text)
    assert.deepEqual(
      jobs.map((job: { job_id: string }) => job.job_id),
      [JSON.parse(extracted.about).job_id],
    )
    assert.equal(
      JSON.parse((await call(inspect, place, 'statistics', {})).text).extraction_count,
      1,
    )
  },
  async 'says which argument is wrong'(inspect, place) {
    const { exitCode, result } = await inspect(...callOf(place, 'extract', { url: 'nonsense' }))
    assert.equal(exitCode, 5) // a result with isError
    assert.equal(JSON.parse(result?.content?.[0]?.text ?? '').error.faults[0].argument, 'url')
  },
  async 'is refused with a wrong key'(inspect, place) {
    const list = ['--method', 'tools/list']
    const { exitCode, output } = await inspect(...byHttp({ ...place, apiKey: 'wrong' }), ...list)
    assert.equal(exitCode, 3, output) // it needs credentials
    assert.match(output, /UNAUTHORIZED/)
  },
}

const byHttp = ({ url, apiKey }: Place) => [
  ...['--server-url', `${url}/mcp`, '--transport', 'http', '--header', `X-Api-Key: ${apiKey}`],
]

const callOf = (place: Place, name: string, args: object) => [
  ...byHttp(place),
  ...['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)],
]

async function call(inspect: Inspect, place: Place, name: string, args: object) {
  return outputOf(await inspect(...callOf(place, name, args)))
}

/** What the service says about the output, and the output itself. */
function outputOf({ exitCode, output, result }: Inspected) {
  assert.equal(exitCode, 0, output)
  const [about, text] = (result?.content ?? []).map((block) => block.text.trim())
  assert.ok(about !== undefined && text !== undefined, output)
  return { about, text }
}

function expectTools({ exitCode, output, result }: Inspected): void {
  assert.equal(exitCode, 0, output)
  assert.deepEqual(
    result?.tools?.map(({ name }) => name),
    mcpTools.map(({ name }) => name),
  )
}

async function startSite() {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html; charset=utf-8').end('<h1>Grüße</h1>'),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close().closeAllConnections()
      await closed
    },
  }
}

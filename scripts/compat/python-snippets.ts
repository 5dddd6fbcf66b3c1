import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { pythonSnippet } from '../../dashboard/src/playground/code/python-snippet.ts'
import { playgroundOperations } from '../../dashboard/src/playground/playground-request.ts'
import {
  hostileRequest,
  samplePlaygroundRequests,
  validPlaygroundRequests,
} from '../../server/test/support/playground-requests.ts'
import { runCommand } from './command.ts'
import { type CheckCounts, runChecks } from './run-checks.ts'

const samplesCount = 200
const runsTimeoutMs = 120_000

/** One process for all, as loading `requests` takes longer than sending one. */
const runAll = 'import json, sys\nfor code in json.load(sys.stdin): exec(code, {})'

/** Runs snippets of all operations, and of bodies that are made up, against a server that looks at them. */
export const tryPythonSnippets = (python: string, signal: AbortSignal): Promise<CheckCounts> =>
  runChecks([python], signal, {
    sentence: () => 'the Python code of the playground sends the very same request',
    check: (program) => runSnippets(program, signal),
  })

async function runSnippets(python: string, signal: AbortSignal): Promise<void> {
  const sent: unknown[] = []
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    const [key, type] = [headers['x-api-key'], headers['content-type']]
    sent.push({ method, url, key, type, body: await json(request) })
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const requests = [
      ...validPlaygroundRequests,
      hostileRequest,
      ...samplePlaygroundRequests(samplesCount),
    ]
    const { output } = await runCommand({
      program: python,
      args: ['-E', '-s', '-B', '-X', 'utf8', '-c', runAll],
      environment: { PATH: process.env['PATH'], TRAWL_API_KEY: 'a key' },
      stdin: JSON.stringify(requests.map((request) => pythonSnippet(request, origin))),
      timeoutMs: runsTimeoutMs,
      signal,
    })
    for (const [index, { operation, body }] of requests.entries()) {
      const url = playgroundOperations[operation].path
      const wanted = { method: 'POST', url, key: 'a key', type: 'application/json', body }
      assert.deepEqual(
        sent[index],
        wanted,
        `${describe(sent[index], wanted)}\n${output.slice(-2_000)}`,
      )
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const describe = (sent: unknown, wanted: unknown): string =>
  `sent ${JSON.stringify(sent)}, wanted ${JSON.stringify(wanted)}`

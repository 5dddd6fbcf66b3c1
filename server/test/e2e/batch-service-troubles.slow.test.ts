import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { documentsIn, endOf, readIndex } from '../support/run-job-command.ts'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import {
  endedBatch,
  respondFailure,
  respondJson,
  type ScriptedCall,
  scriptedBatches,
  scriptedResult,
  startScriptedService,
} from '../support/scripted-service.ts'

const jobId = '01a1e75d-b99d-7000-93fe-4b1207cc9688'

async function runBatch(
  t: TestContext,
  args: string[],
  { stdin = 'http://a.test/', environment = {} as Record<string, string> } = {},
) {
  const cwd = await scratchFolder(t)
  return { cwd, ...(await endOf(runTrawl(t, ['batch', ...args], { cwd, stdin, environment }))) }
}

const urlsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `http://a.test/${index}`)

const isStart = ({ method }: ScriptedCall) => method === 'POST'

test('a list of more than 1 000 URLs becomes several batches, one after another', async (t) => {
  const { url, calls } = await startScriptedService(t, scriptedBatches())
  const urls = urlsOf(2001)

  const { code, stdout, stderr } = await runBatch(t, ['-', '--server', url], {
    stdin: urls.join('\n'),
  })

  assert.equal(code, 0, stderr)
  const started = calls.filter(isStart)
  assert.deepEqual(
    started.map(({ body }) => (body['urls'] as string[]).length),
    [1000, 1000, 1],
  )
  assert.equal(new Set(started.map(({ headers }) => headers['idempotency-key'])).size, 3)
  const results = documentsIn(stdout)
  assert.deepEqual(
    results.map((one) => one['url']),
    urls,
  )
  assert.ok(results.every((one, index) => one['input_index'] === index))
})

test('a list that is interrupted between batches goes on with --resume and --skip', async (t) => {
  const { url, calls } = await startScriptedService(t, scriptedBatches())
  const cwd = await scratchFolder(t)
  const run = (...args: string[]) => {
    const stdin = urlsOf(2001).join('\n')
    return endOf(runTrawl(t, ['batch', '-', '--server', url, ...args], { cwd, stdin }))
  }
  await run('--skip', '2000')
  const [first] = calls
  const id = '00000000-0000-4000-8000-000000000000'

  const { code, stdout, stderr } = await run('--resume', id, '--skip', '1000')

  assert.deepEqual(first?.body['urls'], ['http://a.test/2000'])
  assert.equal(code, 0, stderr)
  const indexes = documentsIn(stdout).map((one) => one['input_index'])
  assert.deepEqual(indexes, [999, ...Array.from({ length: 1001 }, (_, index) => 1000 + index)])
})

test('the flags of trawl batch become the options of the request', async (t) => {
  const { url, calls } = await startScriptedService(t, scriptedBatches())
  const options = ['--options', '{"device_type":"mobile"}']

  await runBatch(t, [
    ...['-', '--server', url, '--format', 'json', '--render', '--page-timeout', '9'],
    ...options,
  ])
  await runBatch(t, ['-', '--server', url])

  const [given, plain] = calls.filter(isStart).map(({ body }) => body)
  assert.deepEqual(given, {
    urls: ['http://a.test/'],
    formats: ['markdown', 'links', 'metadata'],
    only_main_content: false,
    render_js: true,
    configurations: { device_type: 'mobile' },
    timeout: 9000,
  })
  assert.deepEqual(plain, {
    urls: ['http://a.test/'],
    formats: ['markdown'],
    only_main_content: true,
  })
})

test('a batch is followed through refusals, lost connections and results that break off', async (t) => {
  const urls = urlsOf(3)
  const turns: Record<string, number> = {}
  const { url, calls } = await startScriptedService(t, ({ method, headers }, response) => {
    const what = method === 'POST' ? 'start' : headers.accept === '*/*' ? 'read' : 'results'
    const turn = (turns[what] ?? 0) + 1
    turns[what] = turn
    const lines = urls.map((one, index) => scriptedResult(index, one, '# Cod'))
    response.setHeader('content-type', 'application/x-ndjson')
    const script: Record<string, (() => void)[]> = {
      start: [
        () => respondFailure(response, 429, 'QUEUE_FULL', { 'retry-after': '0' }),
        () => respondJson(response, 202, { job_id: jobId, invalid_urls: [] }),
      ],
      read: [
        () => respondFailure(response, 429, 'RATE_LIMITED', { 'retry-after': '0' }),
        () => response.destroy(),
        () => respondFailure(response, 503, 'OVERLOADED'),
        () => respondJson(response, 200, { ...endedBatch(jobId, 3), completed_at: null }),
        () => respondJson(response, 200, endedBatch(jobId, 3)),
      ],
      results: [
        () => response.write(`${lines[0]}${lines[1]?.slice(0, 20)}`, () => response.destroy()),
        () => void response.end(lines.slice(0, 2).join('')),
        () => void response.end(lines.join('')),
      ],
    }
    script[what]?.[turn - 1]?.()
  })

  const { code, stdout, stderr } = await runBatch(t, ['-', '--server', url], {
    stdin: urls.join('\n'),
  })

  assert.equal(code, 0, stderr)
  assert.deepEqual(turns, { start: 2, read: 5, results: 3 })
  assert.deepEqual(
    documentsIn(stdout).map((one) => one['url']),
    urls,
  )
  const keys = calls.filter(isStart).map(({ headers }) => headers['idempotency-key'])
  assert.equal(new Set(keys).size, 1)
})

test('a service that refuses a batch with 429 ends the command with exit 5', async (t) => {
  const { url, calls } = await startScriptedService(t, (_call, response) =>
    respondFailure(response, 429, 'QUEUE_FULL'),
  )

  const { code, stderr } = await runBatch(t, ['-', '--server', url])

  assert.equal(code, 5)
  assert.match(stderr, /QUEUE_FULL: Words\./)
  assert.equal(calls.length, 3, 'The SDK tries three times.')
  assert.equal(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size, 1)
})

test('a later batch that is refused leaves the command that goes on with the list', async (t) => {
  const batches = scriptedBatches()
  let starts = 0
  const { url } = await startScriptedService(t, (call, response) => {
    if (isStart(call)) starts += 1
    if (isStart(call) && starts > 1) respondFailure(response, 429, 'QUEUE_FULL')
    else batches(call, response)
  })

  const { code, stderr } = await runBatch(t, ['-', '--server', url], {
    stdin: urlsOf(1001).join('\n'),
  })

  assert.equal(code, 5)
  assert.match(
    stderr,
    /The first 1000 URLs of the list are done\. To go on:\n {2}npx trawl batch - --skip 1000/,
  )
})

test('trawl batch says that no service answers, exit 6', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))

  const { code, stderr } = await runBatch(t, ['-', '--server', `http://127.0.0.1:${port}`])

  assert.equal(code, 6)
  assert.match(stderr, /No service answers at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/)
})

test('results of 200 MB are written to a folder by a process with 64 MB of heap', async (t) => {
  const { url } = await startScriptedService(
    t,
    scriptedBatches({ markdown: 'cod '.repeat(2 ** 18) }),
  )

  const { cwd, code, stderr } = await runBatch(t, ['-', '--server', url, '--out', 'o'], {
    stdin: urlsOf(200).join('\n'),
    environment: { NODE_OPTIONS: '--max-old-space-size=64' },
  })

  assert.equal(code, 0, stderr)
  assert.equal((await readIndex(join(cwd, 'o'))).length, 200)
  assert.equal((await readdir(join(cwd, 'o'))).length, 201)
})

test('a service that names no job, or a job with a path, is not followed', async (t) => {
  for (const id of ['../../v1/webhooks', undefined]) {
    const { url, calls } = await startScriptedService(t, (_call, response) =>
      respondJson(response, 202, { job_id: id }),
    )

    const { code } = await runBatch(t, ['-', '--server', url])

    assert.equal(code, 1)
    assert.equal(calls.length, 1)
  }
})

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { endOf } from '../support/run-job-command.ts'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { respondFailure, respondJson, startScriptedService } from '../support/scripted-service.ts'

const siteMap = {
  success: true,
  links: [
    { url: 'https://a.test/', source: 'sitemap' },
    { url: 'https://a.test/b?c=1', source: 'html' },
  ],
  metadata: { url: 'https://a.test/', links_count: 2, duration_ms: 5 },
  warning: null as string | null,
}

async function runMap(t: TestContext, args: string[]) {
  const cwd = await scratchFolder(t)
  return { cwd, ...(await endOf(runTrawl(t, ['map', 'https://a.test/', ...args], { cwd }))) }
}

test('trawl map prints a URL a line, or the whole answer as JSON', async (t) => {
  const { url, calls } = await startScriptedService(t, (_call, response) =>
    respondJson(response, 200, siteMap),
  )
  const flags = ['--search', 'b', '--subdomains', '--keep-query', '--json', '-o', 'map.json']

  const lines = await runMap(t, ['--server', url, '--api-key', 'a key'])
  const json = await runMap(t, ['--server', url, ...flags])

  assert.equal(lines.code, 0, lines.stderr)
  assert.equal(lines.stdout, 'https://a.test/\nhttps://a.test/b?c=1\n')
  assert.match(lines.stderr, /^Mapping https:\/\/a\.test\/\n2 URLs in \d+\.\d s\n$/)
  assert.deepEqual([json.code, json.stdout], [0, ''], json.stderr)
  assert.deepEqual(JSON.parse(await readFile(join(json.cwd, 'map.json'), 'utf8')), siteMap)
  assert.deepEqual(
    calls.map(({ method, path, headers, body }) => [method, path, headers['x-api-key'], body]),
    [
      ['POST', '/v1/map', 'a key', { url: 'https://a.test/' }],
      [
        'POST',
        '/v1/map',
        undefined,
        {
          url: 'https://a.test/',
          search: 'b',
          include_subdomains: true,
          ignore_query_parameters: false,
        },
      ],
    ],
  )
})

test('trawl map reports the warning of a map that is not complete, exit 0', async (t) => {
  const warning = 'The time limit was reached.\u001b[2J'
  const { url } = await startScriptedService(t, (_call, response) =>
    respondJson(response, 200, { ...siteMap, warning }),
  )

  const { code, stderr } = await runMap(t, ['--server', url])

  assert.equal(code, 0)
  assert.match(stderr, /The time limit was reached\.\\u\{1b\}\[2J\n2 URLs in/)
})

test('trawl map ends with the exit code of the failure', async (t) => {
  const failed = {
    error: {
      code: 'NETWORK_ERROR',
      message: 'No connection.',
      details: { reason: 'TARGET_UNREACHABLE' },
    },
  }
  const unreachable = await startScriptedService(t, (_call, response) =>
    respondJson(response, 422, failed),
  )
  const limited = await startScriptedService(t, (_call, response) =>
    respondFailure(response, 429, 'RATE_LIMITED'),
  )

  const first = await runMap(t, ['--server', unreachable.url])
  const second = await runMap(t, ['--server', limited.url])

  assert.equal(first.code, 1)
  assert.match(first.stderr, /TARGET_UNREACHABLE: No connection\./)
  assert.deepEqual([first.stdout, second.code], ['', 5])
})

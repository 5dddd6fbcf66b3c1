import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { reachingLoopback } from '../../server/test/support/scrape-calls.ts'
import { startTestService } from '../../server/test/support/test-service.ts'
import * as sdk from '../src/index.ts'
import { expectReport, listOperations } from './support/expect-report.ts'
import { startTrialGateway } from './support/trial-gateway.ts'
import { runTrial } from './trial/run-trial.ts'

test('every operation of the API description has a method, and no method has another', () => {
  const folder = fileURLToPath(new URL('../src', import.meta.url))
  const sources = globSync('*.ts', { cwd: folder })
    .filter((name) => name !== 'api.ts')
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
  const called = sources.flatMap((source) =>
    [...source.matchAll(/'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)'/g)].map(([, name]) => name),
  )

  const described = listOperations().map(({ name }) => name)
  assert.deepEqual([...new Set(called)].sort(), described.sort())
})

test('against a running service', async (t) => {
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()

  await t.test('every method and every failure once', async () => {
    await using gateway = await startTrialGateway(service.url)

    const report = await runTrial(sdk, { ...account, origin: gateway.origin })

    expectReport(report, gateway.forwarded)
  })

  await t.test('a page that needs a browser where there is none', async () => {
    const { apiKey } = account
    const trawl = new sdk.Trawl({ baseUrl: service.url, apiKey, maxRetries: 0 })
    const error = await trawl.scrape({ url: 'http://127.0.0.1:1025/', render_js: true }).catch(it)

    assert.ok(error instanceof sdk.EngineUnavailableError)
    assert.deepEqual([error.status, error.code], [503, 'BROWSER_UNAVAILABLE'])
  })

  await t.test('more requests than an account may send in a minute', async () => {
    const { username, password } = await service.createAccount()
    const trawl = new sdk.Trawl({ baseUrl: service.url, username, password, maxRetries: 0 })
    const calls = Array.from({ length: 101 }, () => trawl.whitelistedIps.list().catch(it))
    const errors = (await Promise.all(calls)).filter((answer) => answer instanceof Error)

    assert.equal(errors.length, 1)
    assert.ok(errors[0] instanceof sdk.RateLimitError)
    assert.ok((errors[0].retryAfter ?? 0) > 0)
  })

  await t.test('no secret is shown by a client that is printed', () => {
    assert.doesNotMatch(inspect(new sdk.Trawl(account), { depth: 9 }), new RegExp(account.apiKey))
  })
})

const it = <Value>(value: Value): Value => value

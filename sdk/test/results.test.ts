/** Results against a server that plays the service, and breaks the connection. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedResult, startScriptedService } from '../../server/test/support/scripted-service.ts'
import { ConnectionError, readLines, Trawl } from '../src/index.ts'
import { take } from './trial/expect-trial.ts'

const lines = [0, 1, 2].map((index) => scriptedResult(index, `http://a.test/${index}`, '# Cod'))

async function startBreaking(t: Parameters<typeof startScriptedService>[0]) {
  const { url, calls } = await startScriptedService(t, (_call, response) => {
    response.setHeader('content-type', 'application/x-ndjson')
    const [first = '', second = ''] = lines
    if (calls.length === 1) response.write(first + second.slice(0, 20), () => response.destroy())
    else if (calls.length === 2) response.end(first + second)
    else response.end(lines.join(''))
  })
  return { trawl: new Trawl({ baseUrl: url, apiKey: 'key' }), calls }
}

test('results go on where the connection broke, if it is known how many there are', async (t) => {
  const { trawl, calls } = await startBreaking(t)

  const urls: string[] = []
  for await (const { url } of trawl.batchResults('id', { total: 3 })) urls.push(url)

  assert.deepEqual(
    urls,
    [0, 1, 2].map((index) => `http://a.test/${index}`),
  )
  assert.equal(calls.length, 3)
})

test('results that break off are an error where nobody knows how many there are', async (t) => {
  const { trawl, calls } = await startBreaking(t)

  await assert.rejects(take(trawl.crawlResults('id')), ConnectionError)

  assert.equal(calls.length, 1)
})

test('lines of results are as the service wrote them', async (t) => {
  const line = '{"url":"http://a.test/","data":{"id":12345678901234567890}}'
  const { url, calls } = await startScriptedService(t, (_call, response) => response.end(line))
  const trawl = new Trawl({ baseUrl: url, apiKey: 'key' })

  assert.deepEqual(await take(trawl.resultLines('crawl', 'id')), [line])
  assert.equal(calls[0]?.path, '/v1/crawl/id')
})

async function* inTurn(chunks: Uint8Array[]) {
  yield* chunks
}

test('lines are the same wherever the chunks of a stream end', async () => {
  const given = ['{"name":"Ægir 🐟"}', '', 'a'.repeat(20), '{"text":"a\\nb"}', '魚']
  const bytes = Buffer.from(given.map((line) => `${line}\n`).join(''))
  for (let size = 1; size <= bytes.length; size++) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    )

    assert.deepEqual(await take(readLines(inTurn(chunks))), given)
  }
})

test('U+2028 ends no line, and the last line needs no line feed', async () => {
  const found = await take(readLines(inTurn([Buffer.from('"a\u2028b"\n\nc')])))

  assert.deepEqual(found, ['"a\u2028b"', '', 'c'])
})

test('a line that is too long ends the reading', async () => {
  const chunks = [Buffer.from('ab\n'), Buffer.from('12345'), Buffer.from('6789')]

  await assert.rejects(take(readLines(inTurn(chunks), { charactersMax: 8 })), RangeError)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostileCallers } from './callers/hostile-callers.ts'
import { startCallerScene } from './callers/run-caller.ts'

const mebibyte = 1024 ** 2
const residentBytesMax = 512 * mebibyte

test('hostile callers beside a good neighbour', async (t) => {
  await using scene = await startCallerScene({ connections: 2_000 })

  for (const [name, { does, expected }] of Object.entries(hostileCallers)) {
    await t.test(`a caller who ${does} disturbs nobody`, async () => {
      const { seen, neighbour, residentBytes, tookMs } = await scene.run(name)

      t.diagnostic(
        `${name}: ${seen} after ${Math.round(tookMs)} ms; memory ${Math.round(residentBytes.before / mebibyte)} → at most ${Math.round(residentBytes.highest / mebibyte)} MiB; neighbour ${neighbour.scrapes} scrapes, slowest ${Math.round(neighbour.slowestMs)} ms`,
      )
      assert.match(seen, expected)
      assert.deepEqual(neighbour.failures.slice(0, 3), [])
      assert.ok(residentBytes.highest < residentBytesMax)
    })
  }
})

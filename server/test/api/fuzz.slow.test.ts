import { test } from 'node:test'
import fc from 'fast-check'
import { everyAnswerIsDocumented, fuzzEnvironment } from '../faults/fuzz/fuzz-requests.ts'
import { startTestService } from '../support/test-service.ts'

// `npm run faults fuzz` sends 5 000, and 50 000 with `--long`.
const requestsPerRun = 1200

test(`${requestsPerRun} generated requests get no 5xx and only documented bodies`, async (t) => {
  const { url } = await startTestService(t, { environment: fuzzEnvironment })
  const statuses = new Map<number, number>()

  await fc.assert(everyAnswerIsDocumented(url, statuses), { numRuns: requestsPerRun })

  t.diagnostic(`answers by status: ${JSON.stringify(Object.fromEntries(statuses))}`)
})

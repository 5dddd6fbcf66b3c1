import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainOrder } from '../domain/scrape/scrape-request.ts'
import type { Task } from '../domain/task/task.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import type { Database } from '../storage/database.ts'
import type { JobView } from '../storage/tables/jobs.ts'
import { jobOfTaskReader } from './job-of-task.ts'

const url = 'http://shop.test/'

const crawl = {
  seed: { url },
  salt: '',
  depth: 2,
  limit: 10,
  sameDomainOnly: true,
  includeSubdomains: false,
  includePaths: [],
  excludePaths: [],
}

const task = {
  accountId: 'account',
  job: { id: 'job', position: 0 },
  request: { url, purpose: { kind: 'crawl', crawl: { depth: 1, parentUrl: null } } },
} as unknown as Task

const page = { url, links: undefined, siteLinks: undefined }

/** Counts what is read of the store and of robots.txt. */
function openScene() {
  const reads = { store: 0, pauses: 0 }
  const job = {
    id: 'job',
    accountId: 'account',
    state: 'open',
    request: { crawl },
  } as unknown as JobView
  const db = {
    nowMs: () => 0,
    async run() {
      reads.store += 1
      return [job]
    },
  }
  const politeness = {
    judgeOf: async () => () => true,
    async pausesOf() {
      reads.pauses += 1
      return { accountMs: 100, hostMs: 200 }
    },
  }
  const readJobOfTask = jobOfTaskReader({
    db: db as unknown as Database,
    sealer: {} as Sealer,
    politeness,
  })
  return { readJobOfTask, reads }
}

test('the end of a page of a crawl reads its job once', async () => {
  const { readJobOfTask, reads } = openScene()

  const job = await readJobOfTask(task)
  const { error, statements } = await job.endOfPage(page)

  assert.equal(job.pauseMs, 200)
  assert.equal(error, undefined)
  assert.equal(statements.length, 2, 'a pause of the host and one of the account')
  assert.deepEqual(reads, { store: 1, pauses: 1 })
})

test('the end of a page of a batch does not read its job', async () => {
  const { readJobOfTask, reads } = openScene()

  const request = { ...task.request, purpose: { kind: 'extract', extract: plainOrder } as const }
  const job = await readJobOfTask({ ...task, request })
  const { statements } = await job.endOfPage(page)

  assert.deepEqual([job.pauseMs, statements, reads.store], [0, [], 0])
})

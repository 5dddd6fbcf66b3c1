import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExpectedPage } from './expected-pages.ts'
import { type JobDelivery, type JobRecords, judgeJob } from './job-ledger.ts'

const site = 'http://site.test'
const endedAt = '2026-01-01T00:00:00.000Z'

const delivery = (fields: Partial<JobDelivery> & { status?: string } = {}): JobDelivery => {
  const { status = 'completed', ...rest } = fields
  const data = { job_id: 'job-1', status }
  return { event: 'batch_completed', webhook_id: null, delivery_id: 'd-1', data, ...rest }
}

/** Three URLs, one of them twice, and one that is invalid; the last one fails. */
function goodBatch(): JobRecords {
  const urls = [`${site}/a`, 'nonsense', `${site}/a`, `${site}/b`]
  const done = { status: 'completed', error_code: null, error_reason: null }
  return {
    body: {
      job_id: 'job-1',
      status: 'completed',
      completed_at: endedAt,
      total_urls: 3,
      completed_urls: 2,
      failed_urls: 1,
      cancelled_urls: 0,
      pending_urls: 0,
      invalid_urls: ['nonsense'],
      results: [
        { input_index: 0, url: `${site}/a`, ...done, metadata: { http_status: 200 } },
        { input_index: 2, url: `${site}/a`, ...done, metadata: { http_status: 200 } },
        {
          input_index: 3,
          url: `${site}/b`,
          status: 'failed',
          error_code: 'NETWORK_ERROR',
          error_reason: 'TARGET_UNREACHABLE',
          metadata: null,
        },
      ],
    },
    expected: { urls, invalid: ['nonsense'] },
    receivers: [null, 'hook-1'],
    deliveries: [delivery(), delivery({ webhook_id: 'hook-1', delivery_id: 'd-2' })],
    requests: [{ url: `${site}/a` }, { url: `${site}/a` }, { url: `${site}/b` }],
  }
}

const expectedPage = (path: string, depth: number, fields: Partial<ExpectedPage> = {}) => ({
  url: site + path,
  depth,
  parents: depth === 1 ? [] : [`${site}/`],
  status: 'completed' as const,
  reason: null,
  httpStatus: 200,
  requested: [site + path],
  requestedTimes: 1,
  ...fields,
})

/** A seed, a page and a redirect that leaves the site. */
function goodCrawl(): JobRecords {
  const outside = { status: 'failed', reason: 'OUT_OF_SCOPE', httpStatus: null } as const
  const pages = [
    expectedPage('/', 1),
    expectedPage('/a', 2),
    expectedPage('/out', 2, { ...outside, requested: [`${site}/out`, 'http://other.test/'] }),
  ]
  return {
    body: {
      job_id: 'job-1',
      status: 'completed',
      completed_at: endedAt,
      total_pages: 3,
      completed_pages: 2,
      failed_pages: 1,
      cancelled_pages: 0,
      results: pages.map(({ url, depth, parents, status, reason, httpStatus }) => ({
        url,
        parent_url: parents[0] ?? null,
        depth,
        status,
        error_code: reason && 'UNPROCESSABLE_CONTENT',
        error_reason: reason,
        metadata: httpStatus === null ? null : { http_status: httpStatus },
      })),
    },
    expected: { pages, total: 3, completeDepth: 2 },
    receivers: [null],
    deliveries: [delivery({ event: 'crawl_completed' })],
    requests: pages.flatMap(({ requested }) => requested.map((url) => ({ url }))),
  }
}

/** The records of a job after something about them went wrong, or differently. */
type Change = (records: JobRecords) => unknown

const result = ({ body }: JobRecords, index: number) => {
  const found = body.results[index]
  assert.ok(found)
  return found
}

const firstDelivery = ({ deliveries }: JobRecords) => {
  const [found] = deliveries
  assert.ok(found)
  return found
}

const problemsAfter = (good: () => JobRecords, change: Change): string[] => {
  const records = good()
  change(records)
  return judgeJob(records)
}

const harmless: Record<string, [() => JobRecords, Change]> = {
  'a batch whose records agree': [goodBatch, () => {}],
  'a crawl whose records agree': [goodCrawl, () => {}],
  'an event that is delivered again under its id': [
    goodBatch,
    ({ deliveries }) => deliveries.push(delivery()),
  ],
  'an event of another job': [
    goodBatch,
    ({ deliveries }) =>
      deliveries.push(
        delivery({ delivery_id: 'd-9', data: { job_id: 'job-2', status: 'failed' } }),
      ),
  ],
  'a page that is requested again after a fault': [
    goodCrawl,
    (records) => {
      records.requests.push({ url: `${site}/a` })
      records.faults = 1
    },
  ],
  'a failing page that is requested again by its retries': [
    goodBatch,
    (records) => {
      records.requests.push({ url: `${site}/b` }, { url: `${site}/b` })
      records.retries = 2
    },
  ],
  'a second end with its own event after the failed URLs ran again': [
    goodBatch,
    (records) => {
      records.ends = 2
      records.failedBefore = [`${site}/b`]
      records.requests.push({ url: `${site}/b` })
      records.deliveries.push(delivery({ delivery_id: 'd-3' }))
      records.deliveries.push(delivery({ webhook_id: 'hook-1', delivery_id: 'd-4' }))
    },
  ],
  'a crawl that the limit ended within a level': [
    goodCrawl,
    (records) => {
      records.expected = {
        ...records.expected,
        pages: expectedOf(records),
        total: 2,
        completeDepth: 1,
      }
      drop(records, 1)
      records.body['completed_pages'] = 1
    },
  ],
  'a crawl that was cancelled before it had all pages': [
    goodCrawl,
    (records) => {
      drop(records, 1)
      records.body.status = 'cancelled'
      records.body['completed_pages'] = 1
      firstDelivery(records).data.status = 'cancelled'
    },
  ],
}

for (const [name, [good, change]] of Object.entries(harmless)) {
  test(`the ledger finds no problem in ${name}`, () => {
    assert.deepEqual(problemsAfter(good, change), [])
  })
}

function expectedOf({ expected }: JobRecords): ExpectedPage[] {
  assert.ok('pages' in expected)
  return expected.pages
}

/** Takes away a result, and keeps the total in step. */
function drop({ body }: JobRecords, index: number): void {
  body.results.splice(index, 1)
  const total = 'total_urls' in body ? 'total_urls' : 'total_pages'
  body[total] = body.results.length
}

/** By what is wrong: the job, the change, and the sentences that the ledger must say. */
const faulty: Record<string, [() => JobRecords, Change, string[]]> = {
  'a job that is not over': [
    goodBatch,
    ({ body }) => Object.assign(body, { completed_at: null }),
    ['The job is completed and its completed_at null.'],
  ],
  'a URL without an end': [
    goodBatch,
    (records) => {
      result(records, 2).status = 'processing'
      records.body['failed_urls'] = 0
      records.body['pending_urls'] = 1
    },
    [`${site}/b is processing, which is no end.`],
  ],
  'a completed URL with an error': [
    goodBatch,
    (records) => Object.assign(result(records, 0), { error_code: 'TIMEOUT' }),
    [`${site}/a is completed with the error code TIMEOUT.`],
  ],
  'a cancelled URL without its code': [
    goodBatch,
    (records) => {
      result(records, 2).status = 'cancelled'
      records.body['failed_urls'] = 0
      records.body['cancelled_urls'] = 1
    },
    [`${site}/b is cancelled with the error code NETWORK_ERROR.`],
  ],
  'counts that do not add up': [
    goodBatch,
    ({ body }) => Object.assign(body, { total_urls: 4 }),
    ['The counts add up to 3 and total_urls is 4.'],
  ],
  'a count that the results contradict': [
    goodCrawl,
    ({ body }) => Object.assign(body, { completed_pages: 3, failed_pages: 0 }),
    [
      'completed_pages is 3, but 2 results are completed.',
      'failed_pages is 0, but 1 results are failed.',
    ],
  ],
  'a batch out of order': [
    goodBatch,
    ({ body }) => body.results.reverse(),
    [`${site}/a with input_index 2 comes after 3.`, `${site}/a with input_index 0 comes after 2.`],
  ],
  'a crawl out of order': [
    goodCrawl,
    ({ body }) => body.results.reverse(),
    [`${site}/ with depth 1 comes after 2.`],
  ],
  'a URL that the batch lost': [
    goodBatch,
    (records) => {
      drop(records, 1)
      records.body['completed_urls'] = 1
    },
    [`${site}/a at 2 has 0 results instead of 1.`],
  ],
  'a URL with two ends': [
    goodBatch,
    (records) => {
      records.body.results.splice(1, 0, result(records, 0))
      records.body['completed_urls'] = 3
      records.body['total_urls'] = 4
    },
    [`${site}/a at 0 has 2 results instead of 1.`],
  ],
  'a result of another URL': [
    goodBatch,
    (records) => Object.assign(result(records, 2), { url: `${site}/a` }),
    [`The result at 3 is of ${site}/a instead of ${site}/b.`],
  ],
  'a result that nobody submitted': [
    goodBatch,
    (records) => Object.assign(result(records, 2), { input_index: 7 }),
    [`${site}/b at 3 has 0 results instead of 1.`, `${site}/b was never submitted.`],
  ],
  'a page that the crawl lost': [
    goodCrawl,
    (records) => {
      drop(records, 1)
      records.body['completed_pages'] = 1
    },
    [`${site}/a is missing.`, 'The crawl has 2 results instead of 3.'],
  ],
  'a page that was crawled twice': [
    goodCrawl,
    (records) => {
      records.body.results.push(result(records, 1))
      records.body['completed_pages'] = 3
      records.body['total_pages'] = 4
    },
    [`${site}/a has 2 results.`, 'The crawl has 4 results instead of 3.'],
  ],
  'a page that the crawl should have left alone': [
    goodCrawl,
    (records) => {
      result(records, 1).url = `${site}/trap`
      records.requests.push({ url: `${site}/trap` })
    },
    [
      `${site}/a is missing.`,
      `${site}/trap does not belong to the crawl.`,
      `${site}/trap was requested and is no page of the job.`,
    ],
  ],
  'a page with a wrong depth and parent': [
    goodCrawl,
    (records) => {
      Object.assign(result(records, 2), { depth: 3, parent_url: `${site}/x` })
    },
    [
      `${site}/out has depth 3 instead of 2.`,
      `${site}/out has the parent ${site}/x, which does not link to it.`,
      `${site}/out has the parent ${site}/x, which is no page of the crawl.`,
    ],
  ],
  'a page that ended differently': [
    goodCrawl,
    (records) => {
      Object.assign(result(records, 2), { error_reason: 'TARGET_TIMEOUT' })
      Object.assign(result(records, 1), { metadata: { http_status: 404 } })
    },
    [
      `${site}/a has HTTP status 404 instead of 200.`,
      `${site}/out has reason TARGET_TIMEOUT instead of OUT_OF_SCOPE.`,
    ],
  ],
  'an end that nobody was told of': [
    goodBatch,
    (records) => {
      records.deliveries = []
    },
    ['The callback got 0 events instead of 1.', 'Webhook hook-1 got 0 events instead of 1.'],
  ],
  'an end with two events': [
    goodBatch,
    ({ deliveries }) => deliveries.push(delivery({ delivery_id: 'd-3' })),
    ['The callback got 2 events instead of 1.'],
  ],
  'an event for somebody else': [
    goodBatch,
    ({ deliveries }) => deliveries.push(delivery({ webhook_id: 'hook-2', delivery_id: 'd-3' })),
    ['Webhook hook-2 got an event and had asked for none.'],
  ],
  'an event of another kind': [
    goodCrawl,
    (records) => {
      firstDelivery(records).event = 'extract_completed'
    },
    ['Delivery d-1 is of the event extract_completed.'],
  ],
  'an event with other counts than the job': [
    goodBatch,
    (records) => {
      firstDelivery(records).data['completed_urls'] = 1
    },
    ['Delivery d-1 says completed_urls 1, not 2.'],
  ],
  'an event id that means two things': [
    goodBatch,
    ({ deliveries }) => deliveries.push(delivery({ status: 'failed' })),
    [
      'Delivery d-1 says status "failed", not "completed".',
      'Delivery d-1 arrived with different contents.',
    ],
  ],
  'a page that was requested again without a fault': [
    goodCrawl,
    ({ requests }) => requests.push({ url: `${site}/a` }),
    [`${site}/a was requested 2 times instead of 1.`],
  ],
  'a URL that was requested more often than it was submitted': [
    goodBatch,
    ({ requests }) => requests.push({ url: `${site}/a` }),
    [`${site}/a was requested 3 times instead of 2.`],
  ],
  'a completed page that was never requested': [
    goodCrawl,
    (records) => {
      records.requests = records.requests.filter(({ url }) => url !== `${site}/a`)
    },
    [`${site}/a is completed and was never requested.`],
  ],
}

for (const [name, [good, change, sentences]] of Object.entries(faulty)) {
  test(`the ledger reports ${name}`, () => {
    assert.deepEqual(problemsAfter(good, change), sentences)
  })
}

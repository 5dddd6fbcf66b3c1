import type { FailureCode } from '../../src/domain/failure.ts'
import { defaultScrapeOptions } from '../../src/domain/scrape/scrape-options.ts'
import { type Activity, durationBucketOf, noActivity } from '../../src/domain/task/activity.ts'
import { sql } from '../../src/storage/statement.ts'
import { putHost, putMinute } from '../../src/storage/tables/activity-rollups.ts'
import { addToDay } from '../../src/storage/tables/day-rollups.ts'
import { insertTasks } from '../../src/storage/tables/tasks.ts'
import type { OpenStore } from '../../src/wiring/open-store.ts'
import { seededRandom } from './seeded-random.ts'

const hosts = [
  'books.example',
  'news.example',
  'shop.example',
  'flights.example',
  'jobs.example',
  'weather.example',
  'recipes.example',
  'docs.example',
]
const minuteMs = 60_000
const dayMs = 86_400_000

/** Sixty busy days, a busy hour and the tasks of its last minutes, the same in every run. */
export async function seedHistory(store: OpenStore, nowMs: number): Promise<void> {
  const random = seededRandom(20)
  const [account] = await store.db.run(sql<{ id: string }>`select id from accounts`)
  const accountId = account?.id ?? ''
  await seedMinutes(store, { accountId, nowMs, random })
  await seedDays(store, { accountId, nowMs, random })
  await seedTasks(store, { accountId, nowMs, random })
}

interface Seeding {
  accountId: string
  nowMs: number
  random: () => number
}

const codes: FailureCode[] = ['TARGET_TIMEOUT', 'TARGET_UNREACHABLE', 'BAD_RESPONSE']

function activityWith(count: number, failedShare: number, random: () => number): Activity {
  const activity = noActivity()
  for (let task = 0; task < count; task++) {
    const isFailed = random() < failedShare
    activity[isFailed ? 'failed' : 'completed']++
    if (random() < 0.12) activity.retries++
    const isRendered = random() < 0.3
    activity.engines[isRendered ? 'browser' : 'http']++
    if (isFailed) {
      const code = codes[Math.floor(random() ** 2 * codes.length)] ?? 'BAD_RESPONSE'
      activity.codes[code] = (activity.codes[code] ?? 0) + 1
    } else activity.statuses[200] = (activity.statuses[200] ?? 0) + 1
    const ms = (isRendered ? 1_900 : 420) * 2 ** ((random() + random() - 1) * 2.4)
    const bucket = durationBucketOf(ms)
    activity.durations[bucket] = (activity.durations[bucket] ?? 0) + 1
  }
  return activity
}

async function seedMinutes({ db }: OpenStore, { accountId, nowMs, random }: Seeding) {
  const lastMinute = Math.floor(nowMs / minuteMs)
  for (let ago = 0; ago <= 61; ago++) {
    const wave = 46 + 22 * Math.sin(ago / 7) + 14 * random()
    const isBurst = ago > 18 && ago < 26
    const activity = activityWith(
      Math.round(wave * (isBurst ? 1.7 : 1)),
      isBurst ? 0.09 : 0.03,
      random,
    )
    const waiting = Math.round(isBurst ? 90 - 9 * Math.abs(ago - 22) : 8 * random())
    activity.queue = { waiting, oldestAgeMs: waiting * (isBurst ? 320 : 90) }
    await db.run(putMinute({ accountId, utcMinute: lastMinute - ago, segment: 'seed', activity }))
  }
}

async function seedDays({ db }: OpenStore, { accountId, nowMs, random }: Seeding) {
  const today = Math.floor(nowMs / dayMs)
  for (let ago = 0; ago < 370; ago++) {
    const isWeekend = [0, 6].includes(new Date(nowMs - ago * dayMs).getUTCDay())
    const count = Math.round((isWeekend ? 900 : 2_400) * (0.6 + 0.8 * random()) * (1 - ago / 500))
    const failedCount = Math.round(count * 0.03 * (0.5 + random()))
    const totals = {
      utcDay: today - ago,
      completedCount: count - failedCount,
      failedCount,
      durationMs: count * 910,
      tokens: count,
    }
    await db.run(addToDay(accountId, totals, 0))
    if (ago >= 30) continue
    for (const [index, host] of hosts.entries()) {
      const ofHost = Math.round((count / 8 / (1 + index * 0.6)) * (0.7 + 0.6 * random()))
      const activity = activityWith(ofHost, 0.01 + 0.014 * index * random(), random)
      await db.run(putHost({ accountId, utcDay: today - ago, host, segment: 'seed', activity }))
    }
  }
}

const paths = ['/', '/latest', '/catalogue/page-3', '/offers?sort=new', '/article/harbour-at-dawn']

async function seedTasks({ db, sealer }: OpenStore, { accountId, nowMs, random }: Seeding) {
  for (let index = 0; index < 140; index++) {
    const createdAtMs = Math.round(nowMs - index * 2_300 - random() * 1_500)
    const host = hosts[Math.floor(random() * hosts.length)]
    const request = {
      url: `https://${host}${paths[Math.floor(random() * paths.length)]}`,
      options: defaultScrapeOptions,
      timeoutMs: 60_000,
      forwardedHeaders: {},
      purpose: { kind: 'realtime' as const },
    }
    const task = { accountId, callbackUrl: null, createdAtMs, request }
    const id = idOf(index)
    await db.run(insertTasks(sealer, [{ ...task, id, callsBackOnFailure: false, metadata: null }]))
    await endSeeded(db, { id, createdAtMs, random })
  }
}

const idOf = (index: number): string =>
  `01a1e9d0-${(0x1000 + index).toString(16)}-7000-8000-000000000000`

async function endSeeded(
  db: OpenStore['db'],
  { id, createdAtMs, random }: { id: string; createdAtMs: number; random: () => number },
) {
  const isFailed = random() < 0.08
  const engine = random() < 0.3 ? 'browser' : 'http'
  const durationMs = Math.round((engine === 'browser' ? 1_900 : 420) * (0.5 + random()))
  const attempt = {
    engine,
    proxy: random() < 0.5 ? 'fra-1' : 'ams-2',
    outcome: isFailed ? 'TARGET_TIMEOUT' : 'page',
    statusCode: isFailed ? null : random() < 0.06 ? 404 : 200,
    startedAtMs: createdAtMs + 4,
    durationMs,
    queueMs: 4,
    timings: null,
  }
  await db.run(sql<never>`
    update tasks
    set state = ${isFailed ? 'failed' : 'completed'}, attempts = 1,
        attempt_log = ${JSON.stringify([attempt])},
        error_code = ${isFailed ? 'TARGET_TIMEOUT' : null},
        started_at_ms = ${createdAtMs + 4}, completed_at_ms = ${createdAtMs + 4 + durationMs}
    where id = ${id}`)
}

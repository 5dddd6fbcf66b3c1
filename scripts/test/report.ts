import { relative } from 'node:path'
import type { EventData } from 'node:test'
import { spec, type TestEvent } from 'node:test/reporters'

export interface EndedFile {
  path: string
  ms: number
  isPassed: boolean
}

const slowestCount = 10

/** A test file's process is reported as a test that has the file's name. */
export function findEndedFile({ name, file = '', nesting, details }: EventData.TestComplete) {
  const path = relative(process.cwd(), file)
  const isFile = nesting === 0 && relative(process.cwd(), name) === path
  return isFile ? { path, ms: details.duration_ms, isPassed: details.passed } : undefined
}

/** A line for each file as it ends and what failed; after the last one every failure in full. */
export async function* reportFiles(events: AsyncGenerator<TestEvent, void>) {
  const failures = spec()
  for await (const event of events) {
    const file = event.type === 'test:complete' && findEndedFile(event.data)
    if (file) yield `${file.isPassed ? '✔' : '✖'} ${describe(file)}\n`
    if (isOfFailures(event)) failures.write(event)
    const said: string | null = failures.read()
    if (said) yield said
  }
  failures.end()
  yield* failures
}

// An interrupted run does not list the files that did not run.
const isOfFailures = ({ type, data }: TestEvent): boolean =>
  (type === 'test:fail' && failureTypeOf(data) !== 'testAborted') ||
  type === 'test:stderr' ||
  ((type === 'test:diagnostic' || type === 'test:summary') && !data.file)

export function describeSlowest(files: readonly EndedFile[]): string {
  const slowest = files.toSorted((one, other) => other.ms - one.ms).slice(0, slowestCount)
  return ['', `The slowest of ${files.length} files:`, ...slowest.map(describe), ''].join('\n')
}

const describe = ({ ms, path }: EndedFile): string =>
  `${(ms / 1_000).toFixed(1).padStart(6)} s  ${path}`

const failureTypeOf = ({ details }: EventData.TestFail): unknown =>
  'failureType' in details.error && details.error.failureType

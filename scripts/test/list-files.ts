import { globSync, statSync } from 'node:fs'

/** `fast` is what `npm test` runs; `all` adds the files whose name says that they take their time. */
export type Tier = 'fast' | 'all'

const everyTest = [
  'cli/src/**/*.test.ts',
  'dashboard/src/**/*.test.ts',
  'scripts/**/*.test.ts',
  'sdk/test/**/*.test.ts',
  'server/src/**/*.test.ts',
  'server/test/**/*.test.ts',
]

export const isSlow = (path: string): boolean => path.endsWith('.slow.test.ts')

/**
 * The files of a tier, those first that probably take longest: what takes long must not begin last.
 * The guess needs no upkeep and is good enough, since no file takes a large part of a run.
 */
export const listTestFiles = (tier: Tier): string[] =>
  everyTest
    .flatMap((pattern) => globSync(pattern, { exclude: ['**/node_modules/**'] }))
    .filter((path) => tier === 'all' || !isSlow(path))
    .map((path) => ({ path, group: groupOf(path), bytes: statSync(path).size }))
    .sort((one, other) => one.group - other.group || other.bytes - one.bytes)
    .map(({ path }) => path)

const groupOf = (path: string): number =>
  isSlow(path) ? 0 : /^(sdk|server)\/test\//.test(path) ? 1 : 2

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import type { Tier } from './list-files.ts'

export interface TestArguments {
  tier: Tier
  /** Files named on the command line; empty means every file of the tier. */
  named: string[]
  concurrency: number
  /** The name of one of Node's, if another than ours is wanted. */
  reporter: string
  /** Node's own flags, such as `--test-name-pattern=…`, for the process of each file. */
  nodeFlags: string[]
}

// Many tests wait rather than compute, so that half as many files again keep every core busy.
const filesPerCore = 1.5

const options = {
  all: { type: 'boolean', default: false },
  'test-concurrency': {
    type: 'string',
    default: String(Math.ceil(availableParallelism() * filesPerCore)),
  },
  'test-reporter': { type: 'string' },
} as const

export function readTestArguments(words: readonly string[]): TestArguments {
  const isNodeFlag = (word: string) =>
    word.startsWith('-') && !Object.keys(options).some((name) => word.startsWith(`--${name}`))
  const { values, positionals } = parseArgs({
    args: words.filter((word) => !isNodeFlag(word)),
    options,
    allowPositionals: true,
  })
  const isNamed = positionals.length > 0
  return {
    tier: values.all || isNamed ? 'all' : 'fast',
    named: positionals,
    concurrency: Number(values['test-concurrency']),
    reporter: values['test-reporter'] ?? (isNamed ? 'spec' : 'files'),
    nodeFlags: words.filter(isNodeFlag),
  }
}

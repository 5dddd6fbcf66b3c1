import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runTrawl } from '../support/run-program.ts'

/** Writes the packages that a process has loaded to stderr when it ends. */
const listLoaded = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({
    load(url, context, next) {
      const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
      if (name) packages.add(name)
      return next(url, context)
    },
  })
  process.on('exit', () => console.error('loaded: ' + [...packages].sort().join(' ')))
`)}`

const light = ['--version', '--help', 'config', 'jobs list --server http://127.0.0.1:9']

test('a command loads the server, the store and their packages only if it needs them', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'trawl-loaded-'))

  for (const words of light) {
    const environment = { NODE_OPTIONS: `--import=${listLoaded}`, TRAWL_API_KEY: 'a-key' }
    const run = runTrawl(t, words.split(' '), { cwd: folder.path, environment })
    await run.whenEnded

    assert.equal(/^loaded: (.*)$/m.exec(run.stderr())?.[1], 'commander zod', words)
  }
})

import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runTrawl } from '../support/run-program.ts'

/** Writes the packages, and the folders of our sources, that a process has loaded to stderr when it ends. */
const listLoaded = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const names = new Set()
  registerHooks({
    load(url, context, next) {
      const name =
        /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ??
        /\\/(server\\/src\\/(?!cli\\b)\\w+|(?:cli|sdk)\\/src)\\//.exec(url)?.[1]
      if (name) names.add(name)
      return next(url, context)
    },
  })
  process.on('exit', () => console.error('loaded: ' + [...names].sort().join(' ')))
`)}`

/** What each command loads, the sources of the program itself aside. */
const light = {
  '--version': 'cli/src commander sdk/src',
  '--quiet jobs list --server http://127.0.0.1:9': 'cli/src commander sdk/src',
  'http://a.test/ --print-curl': 'cli/src commander sdk/src',
}

test('a command that calls a service loads no module of the server', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'trawl-loaded-'))

  for (const [words, expected] of Object.entries(light)) {
    assert.equal(await loadedBy(t, words, folder.path), expected, words)
  }
})

test('a command on settings loads no package of the service', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'trawl-loaded-'))

  for (const words of ['--help', 'config']) {
    const loaded = (await loadedBy(t, words, folder.path)).split(' ')

    assert.deepEqual(
      loaded.filter((name) => !name.includes('/src')),
      ['commander', 'zod'],
      words,
    )
  }
})

async function loadedBy(t: TestContext, words: string, cwd: string): Promise<string> {
  const environment = { NODE_OPTIONS: `--import=${listLoaded}`, TRAWL_API_KEY: 'a-key' }
  const run = runTrawl(t, words.split(' '), { cwd, environment })
  await run.whenEnded
  return /^loaded: (.*)$/m.exec(run.stderr())?.[1] ?? ''
}

import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { BadSettings, type LocalSettings, readLocalSettings } from './local-settings.ts'

/** What is read in a folder with these files. */
function readIn(
  files: Record<string, string>,
  environment: Record<string, string> = {},
): LocalSettings {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'trawl-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text)
  const named = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace('FOLDER', folder.path),
  ])
  return readLocalSettings({}, Object.fromEntries(named), folder.path)
}

test('the environment is stronger than .env, and .env than the settings file', () => {
  const files = {
    '.env': 'TRAWL_PORT=2\nHOST=b.test\nTRAWL_DATA_DIR=b',
    'trawl.config.json': '{"http":{"port":3},"firstAccount":{"apiKey":"of the file"}}',
  }

  const { port, host, dataDir, apiKey } = readIn(files, { PORT: '1', TRAWL_DATA_DIR: '' })

  assert.deepEqual([port, host, dataDir, apiKey], [1, 'b.test', 'b', 'of the file'])
})

test('without any, the settings are the defaults of the service', () => {
  const { port, host, dataDir, apiKey, settingsFolder } = readIn({})

  assert.deepEqual([port, host, dataDir], [8080, '127.0.0.1', './data'])
  assert.deepEqual([apiKey, settingsFolder], [undefined, undefined])
})

test('a folder that is entered chooses no service, and its key is not of the environment', () => {
  const { url, keyVariable, apiKey } = readIn({
    '.env': 'TRAWL_URL=https://a.test\nTRAWL_API_KEY=key',
  })

  assert.deepEqual([url, keyVariable, apiKey], [undefined, undefined, 'key'])
})

test('a secret may be in a file', () => {
  const { apiKey, keyVariable } = readIn(
    { secret: 'a key\n' },
    { TRAWL_API_KEY_FILE: 'FOLDER/secret' },
  )

  assert.deepEqual([apiKey, keyVariable], ['a key', 'TRAWL_API_KEY_FILE'])
})

test('settings that cannot be used are named with their origin, never quoted', () => {
  for (const [files, environment, says] of [
    [{}, { TRAWL_PORT: 'eighty' }, /TRAWL_PORT must be .* \(environment TRAWL_PORT\)/],
    [{}, { TRAWL_API_KEY_FILE: 'nowhere' }, /TRAWL_API_KEY_FILE names nowhere/],
    [{ 'trawl.config.json': '{"secret' }, {}, /^[^{]*trawl\.config\.json must be JSON\.$/],
  ] as [Record<string, string>, Record<string, string>, RegExp][]) {
    assert.throws(
      () => readIn(files, environment),
      (error) => error instanceof BadSettings && says.test(error.message),
    )
  }
})

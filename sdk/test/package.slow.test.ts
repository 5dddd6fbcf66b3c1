/** The package as it is published: what it holds, how large it is, and that it can be used. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { typescriptSnippet } from '../../dashboard/src/playground/code/typescript-snippet.ts'
import { runTool } from '../../scripts/pack-sdk/run-tool.ts'
import { validPlaygroundRequests } from '../../server/test/support/playground-requests.ts'
import { scratchFolder } from '../../server/test/support/scratch-folder.ts'
import { readExamples } from './support/readme-examples.ts'

const run = promisify(execFile)
const gzipBytesMax = 12 * 1024
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Without the settings of the user: those of the repository's `.npmrc` count, below its root. */
const npmEnvironment = (home: string) => ({
  PATH: process.env['PATH'],
  HOME: home,
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
  // A clone of a public repository, whichever this one is of.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'remote.origin.url',
  GIT_CONFIG_VALUE_0: 'git@git.example:team/trawl.git',
})

test('npm refuses to pack the sources of the SDK, which nobody could use', async (t) => {
  const folder = await scratchFolder(t)
  const options = ['pack', '-w', 'sdk', '--pack-destination', folder]

  const packing = run('npm', options, { cwd: root, env: npmEnvironment(folder) })

  await assert.rejects(packing, /must have name and version/)
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.endsWith('.tgz')),
    [],
  )
})

test('the published package', async (t) => {
  const consumer = await scratchFolder(t)
  const env = npmEnvironment(consumer)
  const packing = ['run', '--silent', 'pack:sdk', '--', '--json', '--pack-destination', consumer]
  const { stdout } = await run('npm', packing, { cwd: root, env })
  const [packed = assert.fail()] = JSON.parse(stdout) as {
    filename: string
    files: { path: string }[]
  }[]
  const tarball = join(consumer, packed.filename)
  await writeFile(join(consumer, 'package.json'), '{ "private": true }')
  await run('npm', ['install', tarball], { cwd: consumer, env })
  const folder = join(consumer, 'node_modules/@trawl/sdk')

  await t.test('holds the build, its types, the README and the licence, nothing else', async () => {
    const paths = packed.files.map(({ path }) => path)
    const ofBuild = paths.filter((path) => /^(esm|cjs)\/[\w-]+(\.d\.ts|\.js)$/.test(path))
    const others = paths.filter((path) => !ofBuild.includes(path))

    assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'cjs/package.json', 'package.json'])
    for (const kind of ['esm', 'cjs']) assert.ok(ofBuild.includes(`${kind}/index.d.ts`))
  })

  await t.test('names its version and the repository it is made from', async () => {
    const { version, repository } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))

    assert.equal(version, JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version)
    assert.deepEqual(repository, {
      type: 'git',
      url: 'git+https://git.example/team/trawl.git',
      directory: 'sdk',
    })
  })

  await t.test('has no fault that publint finds', async () => {
    await runTool('publint/src/cli.js', ['run', folder, '--strict', '--pack', 'false'])
  })

  await t.test('has types that resolve in every way TypeScript knows', async () => {
    await runTool('@arethetypeswrong/cli/dist/index.js', [tarball, '--no-color'])
  })

  for (const [name, file, load] of [
    ['import', 'imports.mjs', `import * as sdk from '@trawl/sdk'`],
    ['require', 'requires.cjs', `const sdk = require('@trawl/sdk')`],
  ] as const) {
    await t.test(`calls a service after ${name}`, async (t) => {
      const baseUrl = await startRefusingService(t)
      await writeFile(join(consumer, file), `${load}\n${callsService(baseUrl)}`)

      const { stdout } = await run(process.execPath, [file], { cwd: consumer, env })

      assert.equal(stdout, 'AuthError UNAUTHORIZED\n')
    })
  }

  const bundle = async (contents: string): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: folder },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2022',
    })
    return outputFiles[0]?.text ?? ''
  }

  await t.test('is small, and what is not used is left out of a bundle', async () => {
    const whole = await bundle(`export * from './esm/index.js'`)
    const verifying = await bundle(`export { verifyWebhook } from './esm/index.js'`)

    const bytes = gzipSync(whole).byteLength
    assert.ok(bytes <= gzipBytesMax, `${bytes} bytes`)
    assert.ok(verifying.includes('HMAC') && !verifying.includes('/v1/'), verifying)
    assert.equal((await bundle(`import './esm/index.js'`)).trim(), '')
  })

  await mkdir(join(consumer, 'programs'))
  const write = (name: string, code: string) => writeFile(join(consumer, 'programs', name), code)
  for (const [index, { code }] of readExamples().entries()) {
    await write(`example-${index}.mts`, code)
  }
  for (const [index, request] of validPlaygroundRequests.entries()) {
    await write(`snippet-${index}.mts`, typescriptSnippet(request, 'http://127.0.0.1:8080'))
  }
  for (const ending of ['ts', 'mts', 'cts']) await write(`typed.${ending}`, typedProgram)
  await symlink(join(root, 'node_modules/@types'), join(consumer, 'node_modules/@types'))

  for (const [sentence, include, options] of [
    [
      'the examples of the README, the code of the playground and CommonJS compile, in strict mode',
      '*',
      { module: 'nodenext' },
    ],
    ['they compile for bundlers', '*', { module: 'esnext', moduleResolution: 'bundler' }],
    ['ES modules and CommonJS compile for Node 16', 'typed.*', { module: 'node16' }],
    [
      'CommonJS compiles where TypeScript reads no exports',
      'typed.ts',
      { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
    ],
  ] as const) {
    await t.test(sentence, async () => {
      const project = join(consumer, `tsconfig-${options.module}.json`)
      const compilerOptions = { ...strictest, ...options }
      await writeFile(
        project,
        JSON.stringify({ compilerOptions, include: [`programs/${include}`] }),
      )
      await runTool('typescript/bin/tsc', ['-p', project], consumer)
    })
  }
})

const strictest = {
  target: 'es2022',
  lib: ['es2023', 'dom'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  noEmit: true,
  // The types of the package are checked, those that come with TypeScript are not.
  skipDefaultLibCheck: true,
}

/** Fails to compile where the types are missing, and `any` takes their place. */
const typedProgram = `
  import { ScrapeError, Trawl } from '@trawl/sdk'

  export async function firstLine(url: string): Promise<string | undefined> {
    const page = await new Trawl().scrape({ url, formats: ['markdown'] })
    // @ts-expect-error There is no such format.
    await new Trawl().scrape({ url, formats: ['papyrus'] })
    return page.data.markdown?.split('\\n')[0]
  }
  export const isOfPage = (error: unknown): boolean => error instanceof ScrapeError
`

const callsService = (baseUrl: string): string => `
  const trawl = new sdk.Trawl({ baseUrl: ${JSON.stringify(baseUrl)}, apiKey: 'wrong' })
  trawl.scrape({ url: 'http://127.0.0.1/' }).catch((error) => {
    console.log(error instanceof sdk.AuthError && error.name, error.code)
  })
`

async function startRefusingService(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    const error = { code: 'UNAUTHORIZED', message: 'No.', correlation_id: 'x', retryable: false }
    response.end(JSON.stringify(error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

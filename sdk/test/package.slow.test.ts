/** The package as it is published: what it holds, how large it is, and that it can be used. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { typescriptSnippet } from '../../dashboard/src/playground/code/typescript-snippet.ts'
import { validPlaygroundRequests } from '../../server/test/support/playground-requests.ts'
import { scratchFolder } from '../../server/test/support/scratch-folder.ts'
import { buildPackage, runTool } from './support/build-package.ts'
import { readExamples } from './support/readme-examples.ts'

const run = promisify(execFile)
const gzipBytesMax = 12 * 1024
const root = fileURLToPath(new URL('../..', import.meta.url))

test('the published package', async (t) => {
  const consumer = await scratchFolder(t)
  const folder = join(consumer, 'package')
  await mkdir(folder)
  await buildPackage(folder)

  await t.test('holds the build, its types, the README and the licence, nothing else', async () => {
    // npm writes its log and cache below HOME.
    const env = { PATH: process.env['PATH'], HOME: consumer }
    const options = ['pack', '--json', '--ignore-scripts', '--offline']
    const { stdout } = await run('npm', options, { cwd: folder, env })
    const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[]
    await rename(join(folder, packed?.filename ?? ''), join(consumer, 'package.tgz'))

    const others = packed?.files.map(({ path }) => path).filter((path) => !path.startsWith('dist/'))
    assert.deepEqual(others?.sort(), ['LICENSE', 'README.md', 'package.json'])
    assert.ok(packed?.files.every(({ path }) => !/\.test\.|(?<!\.d)\.ts$/.test(path)))
  })

  await t.test('has no fault that publint finds', async () => {
    await runTool('publint/src/cli.js', ['run', folder, '--strict', '--pack', 'false'])
  })

  await t.test('has types that resolve wherever ES modules do', async () => {
    const tool = '@arethetypeswrong/cli/dist/index.js'
    await runTool(tool, [join(consumer, 'package.tgz'), '--profile', 'esm-only', '--no-color'])
  })

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
    const whole = await bundle(`export * from './dist/index.js'`)
    const verifying = await bundle(`export { verifyWebhook } from './dist/index.js'`)

    const bytes = gzipSync(whole).byteLength
    assert.ok(bytes <= gzipBytesMax, `${bytes} bytes`)
    assert.ok(verifying.includes('HMAC') && !verifying.includes('/v1/'), verifying)
    assert.equal((await bundle(`import './dist/index.js'`)).trim(), '')
  })

  await t.test(
    'the examples of the README and the code of the playground compile, in strict mode',
    async () => {
      await mkdir(join(consumer, 'node_modules/@trawl'), { recursive: true })
      await symlink(folder, join(consumer, 'node_modules/@trawl/sdk'))
      await symlink(join(root, 'node_modules/@types'), join(consumer, 'node_modules/@types'))
      for (const [index, { code }] of readExamples().entries()) {
        await writeFile(join(consumer, `example-${index}.mts`), code)
      }
      for (const [index, request] of validPlaygroundRequests.entries()) {
        const code = typescriptSnippet(request, 'http://127.0.0.1:8080')
        await writeFile(join(consumer, `snippet-${index}.mts`), code)
      }
      const compilerOptions = {
        target: 'es2022',
        lib: ['es2023', 'dom'],
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        noPropertyAccessFromIndexSignature: true,
        noEmit: true,
      }
      for (const resolution of [
        { module: 'nodenext' },
        { module: 'esnext', moduleResolution: 'bundler' },
      ]) {
        const config = { compilerOptions: { ...compilerOptions, ...resolution } }
        await writeFile(join(consumer, 'tsconfig.json'), JSON.stringify(config))
        await runTool('typescript/bin/tsc', ['-p', '.'], consumer)
      }
    },
  )
})

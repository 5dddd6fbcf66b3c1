import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, linkSync, readFileSync } from 'node:fs'
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runTrawl } from '../server/test/support/run-program.ts'
import { scratchFolder } from '../server/test/support/scratch-folder.ts'

/** What dependencies may do here, and which of them the service needs. */

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

interface LockfileEntry {
  dev?: true
  link?: true
  hasInstallScript?: true
}

const lockfile: { packages: Record<string, LockfileEntry> } = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
)
const productionPackages = Object.entries(lockfile.packages).filter(
  ([path, entry]) => path.includes('node_modules/') && !entry.dev && !entry.link,
)

test('npm does not run the install script of a dependency', async (t) => {
  const folder = await scratchFolder(t)
  await cp(join(root, '.npmrc'), join(folder, '.npmrc'))
  await write(folder, 'package.json', { dependencies: { evil: 'file:./evil' } })
  await write(folder, 'evil/package.json', {
    name: 'evil',
    version: '1.0.0',
    scripts: { install: 'touch "$INIT_CWD/was-run"' },
  })

  await run('npm', ['install', '--offline'], { cwd: folder, env: npmEnvironment(folder) })

  assert.ok(existsSync(join(folder, 'node_modules/evil')))
  assert.equal(existsSync(join(folder, 'was-run')), false)
})

test('no production dependency has an install script', () => {
  const withScript = productionPackages.filter(([, entry]) => entry.hasInstallScript)

  assert.deepEqual(withScript, [])
})

test('the service scrapes, minifies and stops with production dependencies only', async (t) => {
  const folder = await productionClone(t)
  const cli = join(folder, 'server/src/cli.ts')
  const target = await startTarget(t)
  const environment = {
    TRAWL_PORT: '0',
    TRAWL_BROWSER_INSTALL: 'never',
    TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
    TRAWL_API_KEY: 'key-of-the-first-account',
  }
  const program = runTrawl(t, ['serve'], { cwd: folder, environment, cli })
  const [, url] = await program.whenSaid(/API +(http:\S+)/)

  const response = await fetch(`${url}/api/scraper/scrape/realtime`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': environment.TRAWL_API_KEY },
    body: JSON.stringify({
      url: target,
      configurations: { HTMLMinifier: { useMinifier: true } },
    }),
  })
  program.child.kill('SIGTERM')

  assert.equal(response.status, 200, await response.text())
  assert.equal(await program.whenEnded, 0)
  assert.equal(existsSync(join(folder, 'node_modules/typescript')), false)
})

async function startTarget(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<title>a page</title>  <p>a  page</p>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function write(folder: string, path: string, content: object): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), JSON.stringify(content))
}

/** Without the settings of the user and of the npm that started this test. */
const npmEnvironment = (folder: string) => ({
  PATH: process.env['PATH'],
  HOME: folder,
  npm_config_userconfig: join(folder, 'none'),
})

/** A clone after `npm start`, made from the packages installed here, without the registry. */
async function productionClone(t: TestContext): Promise<string> {
  const folder = await scratchFolder(t)
  const ofWorkspaces = ['server', 'cli', 'sdk'].flatMap((name) => [
    `${name}/package.json`,
    `${name}/src`,
  ])
  for (const path of ['package.json', 'server/migrations', ...ofWorkspaces]) {
    await cp(join(root, path), join(folder, path), { recursive: true })
  }
  for (const [path] of productionPackages) {
    if (existsSync(join(root, path))) await linkTree(join(root, path), join(folder, path))
  }
  await mkdir(join(folder, 'node_modules/@trawl'), { recursive: true })
  await symlink('../../sdk', join(folder, 'node_modules/@trawl/sdk'))
  return folder
}

/** Hard links need no space. Node would resolve a symbolic link to the packages beside its target. */
async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') await linkTree(source, target)
    } else if (entry.isFile()) linkOrCopy(source, target)
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch {
    copyFileSync(source, target) // another volume, or a file of another user
  }
}

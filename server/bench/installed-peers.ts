/** Other programs to measure beside ours. They are installed into `.cache/bench`, never among our packages. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Program, type RpcProcess, startRpcProcess, stopProgram } from './program.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = join(root, '.cache/bench')
const crawleeVersion = '3.18.1'

/** The service as it was at the commit that `TRAWL_BENCH_COMMIT` names, to see what has changed since. */
export function findEarlierTrawl(): { commit: string; cli: string } | undefined {
  const commit = process.env['TRAWL_BENCH_COMMIT']
  if (!commit) return undefined
  const tree = join(folder, `trawl-${commit}`)
  if (!existsSync(join(tree, 'node_modules'))) {
    run('git', ['clone', '--quiet', '--no-checkout', root, tree], root)
    run('git', ['checkout', '--quiet', commit], tree)
    run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], tree)
  }
  return { commit, cli: join(tree, 'server/src/cli.ts') }
}

/** A Rust service that stores nothing. It is measured where `cargo install` has built it. */
export async function findCrw(
  resources: AsyncDisposableStack,
): Promise<(Program & { name: string }) | undefined> {
  const program = join(folder, 'crw/bin/crw-server')
  if (!existsSync(program)) {
    console.error('  crw-server is left out: cargo install crw-server --root .cache/bench/crw')
    return undefined
  }
  const port = await findFreePort()
  const child = spawn(program, {
    cwd: folder,
    stdio: 'ignore',
    env: {
      ...process.env,
      CRW_SERVER__HOST: '127.0.0.1',
      CRW_SERVER__PORT: `${port}`,
      CRW_SERVER__RATE_LIMIT_RPS: '0',
      CRW_RENDERER__MODE: 'none',
      CRW_CRAWLER__REQUESTS_PER_SECOND: '100000',
      CRW_CRAWLER__MAX_CONCURRENCY: '8',
      CRW_CRAWLER__PER_HOST_MAX_CONCURRENT: '8',
      CRW_ALLOW_LOOPBACK_FOR_TESTS: '1',
    },
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/health`).catch(() => undefined))?.ok) await pause(50)
  return resources.adopt({ name: 'crw-server', child, url }, stopProgram)
}

export function findCrawlee(resources: AsyncDisposableStack): RpcProcess {
  const packages = join(folder, 'crawlee')
  if (!existsSync(join(packages, 'node_modules'))) {
    mkdirSync(packages, { recursive: true })
    run('npm', ['install', '--prefix', packages, `@crawlee/cheerio@${crawleeVersion}`], packages)
  }
  process.env['CRAWLEE_LOG_LEVEL'] = 'OFF'
  process.env['TRAWL_BENCH_CRAWLEE'] = join(packages, 'node_modules/@crawlee/cheerio/index.mjs')
  return resources.use(startRpcProcess('crawlee-crawler.ts'))
}

const run = (command: string, words: string[], cwd: string) =>
  execFileSync(command, words, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('There is no port.')
  return address.port
}

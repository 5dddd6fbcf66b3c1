import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { compileCacheEnvironment } from '../src/runtime/compile-cache.ts'

/** A program started for a measurement, which prints its address. */
export interface Program {
  child: ChildProcess
  url: string
}

export const apiKey = 'the-key-of-the-benchmark'
export const password = 'the-password-of-the-benchmark'

/** Starts the service like `npm start`, on its own store unless the environment says otherwise. */
export async function startTrawl(
  resources: AsyncDisposableStack,
  environment: Record<string, string> = {},
  cli = '../src/cli.ts',
): Promise<Program> {
  const program = await startProgram([cli, 'serve'], {
    ...trawlEnvironment(await makeFolder(resources)),
    ...environment,
  })
  return resources.adopt(program, stopProgram)
}

export const trawlEnvironment = (dataDir: string): Record<string, string> => ({
  TRAWL_PORT: '0',
  TRAWL_DATA_DIR: dataDir,
  TRAWL_BROWSER_INSTALL: 'never',
  TRAWL_DASHBOARD: 'off',
  TRAWL_API_KEY: apiKey,
  TRAWL_PASSWORD: password,
  TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
})

export const makeFolder = async (resources: AsyncDisposableStack): Promise<string> =>
  resources.adopt(await mkdtemp(join(tmpdir(), 'trawl-bench-')), (folder) =>
    rm(folder, { recursive: true, force: true }),
  )

export async function startProgram(
  [file = '', ...args]: string[],
  environment: Record<string, string> = {},
): Promise<Program> {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, file), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...likeNpmStart(), ...environment },
  })
  for await (const line of createInterface({ input: child.stderr })) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (url) {
      child.stderr.resume()
      return { child, url }
    }
  }
  throw new Error(`${file} ended before it was ready.`)
}

/** What `npm start` gives the service, too. */
const likeNpmStart = () => ({
  PATH: process.env['PATH'],
  MALLOC_MMAP_THRESHOLD_: '131072',
  ...compileCacheEnvironment(),
})

/** Runs a program without output to its end. */
export async function runProgram(
  [file = '', ...args]: string[],
  environment: Record<string, string>,
): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], ...environment },
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}.`)
}

export async function stopProgram({ child }: Program): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

/** A program that is asked things and answers each, one after the other. */
export interface RpcProcess extends AsyncDisposable {
  child: ChildProcess
  call<Answer>(question: object): Promise<Answer>
}

export function startRpcProcess(file: string): RpcProcess {
  const child = fork(resolve(import.meta.dirname, file))
  const exited = once(child, 'exit')
  const died = exited.then((): never => {
    throw new Error(`${file} ended before it answered.`)
  })
  died.catch(() => undefined)
  return {
    child,
    async call<Answer>(question: object) {
      child.send(question)
      const [answer] = await Promise.race([once(child, 'message'), died])
      return answer as Answer
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

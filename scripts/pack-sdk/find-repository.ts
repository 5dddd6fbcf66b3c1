import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface RepositoryField {
  type: 'git'
  url: string
  directory: string
}

/** The repository that a clone was made from, if others can reach it too. */
export async function findRepository(root: string): Promise<RepositoryField | undefined> {
  const options = ['config', '--get', 'remote.origin.url']
  // Neither git nor a remote of this name has to be there.
  const origin = await run('git', options, { cwd: root }).catch(() => undefined)
  const url = publicUrlOf(origin?.stdout.trim() ?? '')
  return url === undefined ? undefined : { type: 'git', url, directory: 'sdk' }
}

/** `git@host:path`, `ssh://git@host/path` and `https://user:secret@host/path` in one form; no local path. */
export function publicUrlOf(origin: string): string | undefined {
  const url = URL.parse(origin.replace(/^[^/@]+@([^/:]+):/, 'ssh://$1/'))
  if (!url || !['https:', 'ssh:'].includes(url.protocol)) return undefined
  return `git+https://${url.hostname}${url.pathname.replace(/(\.git)?\/?$/, '.git')}`
}

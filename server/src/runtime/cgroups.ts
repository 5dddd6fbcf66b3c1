import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What the groups of processes that this one is in were given of the machine. */
export interface CgroupShares {
  cpus: { coreCount: number; usedMs(): number }[]
  memories: { bytesMax: number; usedBytes(): number }[]
}

type Shares<Kind extends keyof CgroupShares> = CgroupShares[Kind][number]

/** The share of a container, of the service it runs in, and so on upwards; none where nothing limits. */
export function listCgroupShares(root = '/'): CgroupShares {
  const mount = join(root, 'sys/fs/cgroup')
  const own = ownGroups(readText(join(root, 'proc/self/cgroup')))
  const upFrom = (controller: string) => foldersUp(own.get(controller) ?? '/')
  const isUnified = existsSync(join(mount, 'cgroup.controllers'))
  const cpus = isUnified
    ? upFrom('').map((folder) => unifiedCpu(join(mount, folder)))
    : upFrom('cpu').map((folder) => oldCpu(mount, folder))
  const memories = isUnified
    ? upFrom('').map((folder) => unifiedMemory(join(mount, folder)))
    : upFrom('memory').map((folder) => oldMemory(join(mount, 'memory', folder)))
  return {
    // What is not there or says "max" is no number.
    cpus: cpus.filter(({ coreCount, usedMs }) => coreCount > 0 && usedMs() >= 0),
    memories: memories.filter(({ bytesMax, usedBytes }) => bytesMax > 0 && usedBytes() >= 0),
  }
}

/** By controller, in lines as `4:cpu,cpuacct:/system.slice`; the unified hierarchy has no name. */
const ownGroups = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/^\d+:([^:]*):(.*)$/gm)].flatMap(([, controllers = '', path = '/']) =>
      controllers.split(',').map((controller) => [controller, path] as const),
    ),
  )

/** A container may see a path that leads to nothing where it is, but its own group at the top. */
const foldersUp = (path: string): string[] =>
  path === '/' || path === '.' ? ['/'] : [path, ...foldersUp(dirname(path))]

function unifiedCpu(folder: string): Shares<'cpus'> {
  const [quota, period] = readText(join(folder, 'cpu.max')).split(' ').map(Number)
  const usedMs = () => readNamed(join(folder, 'cpu.stat'), 'usage_usec') / 1e3
  return { coreCount: (quota ?? Number.NaN) / (period ?? Number.NaN), usedMs }
}

function unifiedMemory(folder: string): Shares<'memories'> {
  const usedBytes = () =>
    readNumber(join(folder, 'memory.current')) -
    readNamed(join(folder, 'memory.stat'), 'inactive_file')
  return { bytesMax: readNumber(join(folder, 'memory.max')), usedBytes }
}

function oldCpu(mount: string, folder: string): Shares<'cpus'> {
  const quota = readNumber(join(mount, 'cpu', folder, 'cpu.cfs_quota_us'))
  const period = readNumber(join(mount, 'cpu', folder, 'cpu.cfs_period_us'))
  const usedMs = () => readNumber(join(mount, 'cpuacct', folder, 'cpuacct.usage')) / 1e6
  return { coreCount: quota / period, usedMs }
}

function oldMemory(folder: string): Shares<'memories'> {
  const usedBytes = () =>
    readNumber(join(folder, 'memory.usage_in_bytes')) -
    readNamed(join(folder, 'memory.stat'), 'total_inactive_file')
  return { bytesMax: readNumber(join(folder, 'memory.limit_in_bytes')), usedBytes }
}

/** Files that the kernel makes up: empty where there are none. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const readNumber = (path: string): number => Number.parseInt(readText(path), 10)

const readNamed = (path: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(readText(path))?.[1])

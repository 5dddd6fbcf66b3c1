import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readSystemFile } from './read-system-file.ts'

/** The CPU and memory limits of the cgroups that this process is in. */
export interface CgroupShares {
  cpus: { coreCount: number; usedMs(): number }[]
  memories: { bytesMax: number; usedBytes(): number }[]
}

type Shares<Kind extends keyof CgroupShares> = CgroupShares[Kind][number]

/** The limits of this process's cgroup and of all its parents; empty if nothing is limited. */
export function listCgroupShares(root = '/'): CgroupShares {
  const mount = join(root, 'sys/fs/cgroup')
  const own = ownGroups(readSystemFile(join(root, 'proc/self/cgroup')))
  const upFrom = (controller: string) => foldersUp(own.get(controller) ?? '/')
  const isV2 = existsSync(join(mount, 'cgroup.controllers'))
  const cpus = isV2
    ? upFrom('').map((folder) => v2Cpu(join(mount, folder)))
    : upFrom('cpu').map((folder) => v1Cpu(mount, folder))
  const memories = isV2
    ? upFrom('').map((folder) => v2Memory(join(mount, folder)))
    : upFrom('memory').map((folder) => v1Memory(join(mount, 'memory', folder)))
  return {
    // A missing file, or the value "max", reads as NaN, and is filtered out.
    cpus: cpus.filter(({ coreCount, usedMs }) => coreCount > 0 && usedMs() >= 0),
    memories: memories.filter(({ bytesMax, usedBytes }) => bytesMax > 0 && usedBytes() >= 0),
  }
}

/** Paths by controller, from lines such as `4:cpu,cpuacct:/system.slice`; cgroup v2 has an empty name. */
const ownGroups = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/^\d+:([^:]*):(.*)$/gm)].flatMap(([, controllers = '', path = '/']) =>
      controllers.split(',').map((controller) => [controller, path] as const),
    ),
  )

/** Up to the root: in a container the path may not exist, and its own cgroup is the root. */
const foldersUp = (path: string): string[] =>
  path === '/' || path === '.' ? ['/'] : [path, ...foldersUp(dirname(path))]

function v2Cpu(folder: string): Shares<'cpus'> {
  const [quota, period] = readSystemFile(join(folder, 'cpu.max')).split(' ').map(Number)
  const usedMs = () => readNamed(join(folder, 'cpu.stat'), 'usage_usec') / 1e3
  return { coreCount: (quota ?? Number.NaN) / (period ?? Number.NaN), usedMs }
}

function v2Memory(folder: string): Shares<'memories'> {
  const usedBytes = () =>
    readNumber(join(folder, 'memory.current')) -
    readNamed(join(folder, 'memory.stat'), 'inactive_file')
  return { bytesMax: readNumber(join(folder, 'memory.max')), usedBytes }
}

function v1Cpu(mount: string, folder: string): Shares<'cpus'> {
  const quota = readNumber(join(mount, 'cpu', folder, 'cpu.cfs_quota_us'))
  const period = readNumber(join(mount, 'cpu', folder, 'cpu.cfs_period_us'))
  const usedMs = () => readNumber(join(mount, 'cpuacct', folder, 'cpuacct.usage')) / 1e6
  return { coreCount: quota / period, usedMs }
}

function v1Memory(folder: string): Shares<'memories'> {
  const usedBytes = () =>
    readNumber(join(folder, 'memory.usage_in_bytes')) -
    readNamed(join(folder, 'memory.stat'), 'total_inactive_file')
  return { bytesMax: readNumber(join(folder, 'memory.limit_in_bytes')), usedBytes }
}

const readNumber = (path: string): number => Number.parseInt(readSystemFile(path), 10)

const readNamed = (path: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(readSystemFile(path))?.[1])

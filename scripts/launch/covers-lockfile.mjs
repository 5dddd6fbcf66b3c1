import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether npm's record of what it installed has every package of the lockfile that is meant for this
 * machine: those of production, or all of them. Somebody may have run `npm ci` by hand.
 */
export function coversLockfile(root, lockfile, dependencySet) {
  let installed
  try {
    installed = JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8'))
  } catch {
    return false
  }
  return Object.entries(JSON.parse(lockfile).packages)
    .filter(([path, entry]) => path.includes('node_modules/') && isWanted(entry, dependencySet))
    .every(([path, entry]) => installed.packages[path]?.version === entry.version)
}

// An optional package is wanted when it is made for this machine by name. npm also leaves out those
// that only another machine's packages need, or another C library; those say no system at all.
function isWanted({ dev, devOptional, os, cpu, libc, optional }, dependencySet) {
  const isProduction = dependencySet === 'production'
  if (isProduction && dev) return false
  if (!optional && !(isProduction && devOptional)) return true
  return Boolean(os && cpu) && !libc && names(os, process.platform) && names(cpu, process.arch)
}

const names = (list, name) => [list].flat().includes(name)

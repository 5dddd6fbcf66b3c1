import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether npm's record of installed packages has every package of the lockfile that this machine needs,
 * for production or in all. Somebody may have run `npm ci` by hand. A workspace is a link without a version.
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
    .every(([path, entry]) => {
      const found = installed.packages[path]
      return found !== undefined && found.version === entry.version
    })
}

// An optional package is wanted if it names this platform and processor. npm also skips optional packages
// that only those of other platforms need, which name no platform, and those for another C library.
function isWanted({ dev, devOptional, os, cpu, libc, optional }, dependencySet) {
  const isProduction = dependencySet === 'production'
  if (isProduction && dev) return false
  if (!optional && !(isProduction && devOptional)) return true
  return Boolean(os && cpu) && !libc && names(os, process.platform) && names(cpu, process.arch)
}

const names = (list, name) => [list].flat().includes(name)

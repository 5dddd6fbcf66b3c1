import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether somebody ran `npm ci` or `npm install` by hand: npm's record of what it installed has
 * every package of the lockfile that is meant for this machine.
 */
export function coversLockfile(root, lockfile) {
  let installed
  try {
    installed = JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8'))
  } catch {
    return false
  }
  return Object.entries(JSON.parse(lockfile).packages)
    .filter(([path, entry]) => path.includes('node_modules/') && isWanted(entry))
    .every(([path, entry]) => installed.packages[path]?.version === entry.version)
}

// An optional package is wanted when it is made for this machine by name. npm also leaves out those
// that only another machine's packages need, or another C library; those say no system at all.
function isWanted({ os, cpu, libc, optional }) {
  if (!optional) return true
  return Boolean(os && cpu) && !libc && names(os, process.platform) && names(cpu, process.arch)
}

const names = (list, name) => [list].flat().includes(name)

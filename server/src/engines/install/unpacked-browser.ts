import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type BrowserCandidate, flavorOf } from './browser-candidates.ts'

/** The record of an unpacked browser. Paths are relative to its folder, which may be moved. */
export interface UnpackedBrowser {
  executable: string
  libraryFolders: string[]
  fontConfig: string
}

export const unpackedBrowserFolder = (dataDir: string): string => resolve(dataDir, 'browser')
export const unpackedBrowserRecord = 'browser.json'

/** The browser that an earlier installation unpacked into the data folder. */
export const readUnpackedBrowser = (dataDir: string): BrowserCandidate | undefined =>
  readRecord(unpackedBrowserFolder(dataDir))

/** The same browser if a setting names its program, which does not run without its libraries. */
export function readUnpackedBrowserAt(path: string): BrowserCandidate | undefined {
  const browser = readRecord(resolve(path, '../../../..')) // <folder>/usr/lib/chromium/<program>
  return browser?.path === resolve(path) ? browser : undefined
}

function readRecord(folder: string): BrowserCandidate | undefined {
  let record: UnpackedBrowser
  try {
    record = JSON.parse(readFileSync(join(folder, unpackedBrowserRecord), 'utf8'))
  } catch {
    return undefined // there is none, or its installation did not finish
  }
  return {
    path: join(folder, record.executable),
    flavor: flavorOf(record.executable),
    origin: 'data folder',
    libraryPath: record.libraryFolders.map((library) => join(folder, library)).join(':'),
    fontConfig: join(folder, record.fontConfig),
  }
}

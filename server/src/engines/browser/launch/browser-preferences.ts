import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nobody } from './browser-home.ts'

/**
 * Writes the preferences of a full browser into its profile, before its first start. They turn off
 * requests of its own that no switch turns off: those of a context go out by the egress proxy of
 * the page, and would be the page's to the proxy.
 */
export async function writePreferences(
  profile: string,
  { asNobody }: { asNobody: boolean },
): Promise<void> {
  const folder = join(profile, 'Default')
  const file = join(folder, 'Preferences')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(file, JSON.stringify(preferences))
  if (!asNobody) return
  for (const path of [profile, folder, file]) await chown(path, nobody.uid, nobody.gid)
}

const preferences = {
  // After a TLS error it would ask a server of Google whether the network has a login page.
  alternate_error_pages: { enabled: false },
  // 2 is never: it neither connects to nor renders what a page may need next.
  net: { network_prediction_options: 2 },
  // A PDF is a download, as in the shell, and not a page of the browser's own.
  plugins: { always_open_pdf_externally: true },
  safebrowsing: { enabled: false },
  search: { suggest_enabled: false },
  signin: { allowed: false },
  credentials_enable_service: false,
}

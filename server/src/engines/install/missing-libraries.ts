/** The libraries that the dynamic loader did not find, from its LD_TRACE_LOADED_OBJECTS=1 output. */
export const missingLibraries = (loaderOutput: string): string[] =>
  [...loaderOutput.matchAll(/^\s*(\S+) => not found/gm)].map(([, library]) => library ?? '')

export function describeMissingLibraries(libraries: readonly string[]): string {
  const packages = [...new Set(libraries.map(debianPackageOf))]
  return (
    `Chromium is installed but lacks: ${libraries.join(', ')}. ` +
    `On Debian: sudo apt install ${packages.join(' ')}`
  )
}

// The libraries whose packages do not follow Debian's rule below.
const exceptions: Record<string, string> = {
  'libsmime3.so': 'libnss3',
  'libnssutil3.so': 'libnss3',
  'libgio-2.0.so.0': 'libglib2.0-0',
  'libgobject-2.0.so.0': 'libglib2.0-0',
  'libpango-1.0.so.0': 'libpango-1.0-0',
  'libatspi.so.0': 'libatspi2.0-0',
}

/**
 * Debian names a library's package after the library and its version: libgbm.so.1 is libgbm1,
 * libX11.so.6 is libx11-6, libatk-1.0.so.0 is libatk1.0-0.
 */
function debianPackageOf(library: string): string {
  const [stem = library, version = ''] = library.split(/\.so\.?/)
  const name = stem.toLowerCase().replace(/-(?=\d+\.\d+$)/, '')
  const separator = version && /\d$/.test(name) ? '-' : ''
  return exceptions[library] ?? `${name}${separator}${version}`
}

import { delimiter } from 'node:path'
import { type SettingOrigin, type ShownSetting, showSetting } from './runtime/settings/settings.ts'

/** Facts of the environment that parts of the service need and that are no settings of it. */
export interface EnvironmentFacts {
  pathFolders: string[]
  /** `http_proxy`, `https_proxy` and `no_proxy`, for the installation of a browser. */
  proxyVariables: Record<string, string>
  /** What npm and the bundler need to build the dashboard: no setting of ours, no secret. */
  buildVariables: Record<string, string>
  /** The variable that set the browser path, for messages about it. */
  browserPathOrigin: string | undefined
  /** The file with the proxies, which is watched and reloaded, and its content. */
  proxiesFile: { path: string; text: string } | undefined
  /** Every setting as the operator may see it, for reports. */
  shownSettings: readonly ShownSetting[]
}

export function environmentFacts(
  environment: Record<string, string | undefined>,
  origins: SettingOrigin[],
): EnvironmentFacts {
  const matching = (names: RegExp): Record<string, string> =>
    Object.fromEntries(
      Object.entries(environment).filter(
        (entry): entry is [string, string] => names.test(entry[0]) && !!entry[1],
      ),
    )
  const browserPath = origins.find((one) => one.env === 'TRAWL_BROWSER_PATH')
  const { file, text = '' } = origins.find((one) => one.env === 'TRAWL_PROXIES') ?? {}
  return {
    pathFolders: (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    proxyVariables: matching(proxyVariable),
    buildVariables: { ...matching(proxyVariable), ...matching(buildVariable) },
    browserPathOrigin: browserPath?.text && browserPath.origin.split(' ').at(-1),
    proxiesFile: file === undefined ? undefined : { path: file, text },
    shownSettings: origins.map(showSetting),
  }
}

const proxyVariable = /^(https?|no)_proxy$/i
const buildVariable = /^(?:PATH|HOME|TMPDIR|LANG|NODE_EXTRA_CA_CERTS)$|^(?:npm_|NPM_CONFIG_)/

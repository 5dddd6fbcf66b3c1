import { delimiter } from 'node:path'
import { type SettingOrigin, showSetting } from './runtime/settings/settings.ts'

/** Facts of the environment that parts of the service need and that are no settings of it. */
export type EnvironmentFacts = ReturnType<typeof environmentFacts>

export function environmentFacts(
  environment: Record<string, string | undefined>,
  origins: SettingOrigin[],
) {
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
    /** `http_proxy`, `https_proxy` and `no_proxy`, for the installation of a browser. */
    proxyVariables: matching(proxyVariable),
    /** What npm and the bundler need to build the dashboard: no setting of ours, no secret. */
    buildVariables: { ...matching(proxyVariable), ...matching(buildVariable) },
    /** The variable that set the browser path, for messages about it. */
    browserPathOrigin: browserPath?.text && browserPath.origin.split(' ').at(-1),
    /** The file with the proxies, which is watched and reloaded, and its content. */
    proxiesFile: file === undefined ? undefined : { path: file, text },
    /** Every setting as the operator may see it, for reports. */
    shownSettings: origins.map(showSetting),
  }
}

const proxyVariable = /^(https?|no)_proxy$/i
const buildVariable = /^(?:PATH|HOME|TMPDIR|LANG|NODE_EXTRA_CA_CERTS)$|^(?:npm_|NPM_CONFIG_)/

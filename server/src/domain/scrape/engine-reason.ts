/** Why a page needs a browser; `static` is a page that does not. */
export type PageVerdict =
  | 'static'
  | 'script_challenge'
  | 'unrendered_template'
  | 'empty_app_root'
  | 'noscript_demand'
  | 'client_redirect'
  | 'script_shell'

/**
 * Why an engine fetched a page, where the request alone did not decide that. `scripted_host`: pages of
 * the host needed a browser before, so this one was not fetched over HTTP.
 */
export type EngineReason = PageVerdict | 'file' | 'scripted_host' | 'browser_unavailable'

/**
 * A handover: one engine has found out that the other has to fetch the page. The verdict on an HTTP
 * response can say that it needs a browser; a browser can come upon a file, whose bytes it does not give.
 */
export interface Handover {
  reason: Exclude<PageVerdict, 'static'> | 'file'
  /** The session with the proxy, so that the other engine leaves by the same exit. */
  proxySession: string | null
}

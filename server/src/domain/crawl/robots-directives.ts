import { robotsName } from './parse-robots.ts'

/** Longer lists of directives are cut off. */
const charactersMax = 4_096

/** Directives that have a value after a colon; any other word before a colon names a robot. */
const directivesWithValue = new Set([
  'max-image-preview',
  'max-snippet',
  'max-video-preview',
  'unavailable_after',
])

/** Whether a `<meta>` of this name holds directives for us. */
export const isRobotsMeta = (name: string): boolean => {
  const lower = name.trim().toLowerCase()
  return lower === 'robots' || lower === robotsName
}

/** Whether the content of such a `<meta>` says that no link of the page may be followed. */
export const metaForbidsFollowing = (content: string): boolean =>
  content
    .slice(0, charactersMax)
    .split(/[\s,;]+/)
    .some(isNofollow)

/**
 * The same for the values of `X-Robots-Tag`, one for each header. The name of a robot goes for the
 * directives after it: `nofollow`, `trawl: nofollow`, `noindex, other: nofollow`.
 */
export const robotsTagsForbidFollowing = (values: readonly string[]): boolean =>
  values.some((value) => {
    let robot: string = robotsName
    for (const part of value.slice(0, charactersMax).split(',')) {
      const [before = '', ...after] = part.split(':')
      const name = before.trim().toLowerCase()
      const isNamed = after.length > 0 && !directivesWithValue.has(name)
      if (isNamed) robot = name
      const isForUs = robot === robotsName || robot === '*'
      if (isForUs && isNofollow((isNamed ? after.join(':') : part).trim())) return true
    }
    return false
  })

const isNofollow = (directive: string): boolean => /^(?:nofollow|none)$/i.test(directive)

import {
  htmlPage,
  inert,
  link,
  nofollowLink,
  otherPage,
  redirectPage,
  type TrapPages,
  unreachablePage,
} from './trap-page.ts'

/** Where the trap site listens. */
export interface TrapOrigins {
  /** Such as `http://127.0.0.1:8080`. */
  main: string
  /** Another port, which is out of scope. */
  other: string
}

/**
 * Every trap: its pages by canonical URL, of which the first is the entry that the index links to.
 * A target is written down here twice, as the crawler must understand it and as the page spells it,
 * so that what is expected needs no parser.
 */
export const trapKinds: Record<string, (origins: TrapOrigins) => TrapPages> = {
  loops: ({ main }) => ({
    [`${main}/loops/a`]: htmlPage([link(`${main}/loops/b`), link(`${main}/loops/a`, '')]),
    [`${main}/loops/b`]: htmlPage([link(`${main}/loops/c`, 'c'), link(`${main}/loops/a`, './a')]),
    [`${main}/loops/c`]: htmlPage([link(`${main}/loops/a`, 'a'), link(`${main}/`, '/')]),
  }),

  /** Each order of parameters is a URL of its own, and all of them link to each other. */
  queryPermutations({ main }) {
    const queries = orderings(['a=1', 'b=2', 'c=3']).map((parts) => parts.join('&'))
    const links = queries.map((query) => link(`${main}/facets?${query}`, `?${query}`))
    const addresses = ['', ...queries.map((query) => `?${query}`)]
    return Object.fromEntries(
      addresses.map((query) => [`${main}/facets${query}`, htmlPage(links)] as const),
    )
  },

  bases: ({ main, other }) => ({
    [`${main}/bases/`]: htmlPage(
      ['relative', 'second', 'late', 'dots', 'outside'].map((name) =>
        link(`${main}/bases/${name}`, name),
      ),
    ),
    [`${main}/bases/relative`]: htmlPage(
      [
        link(`${main}/based/on/one.html`, 'one.html'),
        link(`${main}/based/two.html`, '../two.html'),
        link(`${main}/based/on/?q=1`, '?q=1'),
      ],
      { head: '<base href="/based/on/">' },
    ),
    [`${main}/bases/second`]: htmlPage([link(`${main}/based/first/x`, 'x')], {
      head: '<base target="_top"><base href="/based/first/"><base href="/based/never/">',
    }),
    [`${main}/bases/late`]: htmlPage([
      link(`${main}/based/late/x`, 'x'),
      inert('<base href="/based/late/">'),
    ]),
    [`${main}/bases/dots`]: htmlPage([link(`${main}/up/x`, 'x')], {
      head: '<base href="../up/there/../">',
    }),
    [`${main}/bases/outside`]: htmlPage(
      [link(`${other}/never/based`, '/never/based'), link(`${main}/based/absolute`)],
      { head: `<base href="${other}/">` },
    ),
    ...leaves(main, ['/based/on/one.html', '/based/two.html', '/based/on/?q=1', '/up/x']),
    ...leaves(main, ['/based/first/x', '/based/late/x', '/based/absolute']),
  }),

  redirects: ({ main, other }) => ({
    [`${main}/redirects/`]: htmlPage(
      Object.keys(redirectEntries({ main, other })).map((url) => link(url)),
    ),
    ...redirectEntries({ main, other }),
    // Ends of redirects. Only pages that come after them link to them, and then they are known.
    [`${main}/ends/plain`]: htmlPage([
      link(`${main}/ends/child`, 'child'),
      link(`${main}/ends/plain`),
    ]),
    [`${main}/ends/child`]: htmlPage([link(`${main}/ends/plain`, 'plain')]),
    [`${main}/ends/relative?x=1`]: htmlPage([
      link(`${main}/ends/relative-child`, 'relative-child'),
    ]),
    [`${main}/ends/returned/`]: htmlPage([link(`${main}/ends/returned/child`, 'child')]),
    [`${main}/ends/gone`]: htmlPage([], { status: 404 }),
    ...leaves(main, ['/ends/relative-child', '/ends/returned/child']),
    [`${main}/redirect-hops/out`]: redirectPage(`${other}/landing`),
    [`${main}/redirect-hops/loop`]: redirectPage(`${main}/redirects/loop`),
    [`${other}/bounce`]: redirectPage(`${main}/ends/returned/`, { status: 301 }),
    [`${other}/bounce-home`]: redirectPage(`${main}/`),
    [`${other}/landing`]: htmlPage([link(`${main}/never/from-outside`)]),
  }),

  nofollow: ({ main }) => ({
    [`${main}/nofollow/`]: htmlPage([
      nofollowLink(`${main}/nofollow/never-1`),
      nofollowLink(`${main}/nofollow/never-2`, 'noopener NoFollow'),
      nofollowLink(`${main}/nofollow/both`),
      link(`${main}/nofollow/both`),
      {
        markup: '<a rel="noreferrer ugc sponsored" href="/nofollow/ugc">x</a>',
        to: `${main}/nofollow/ugc`,
      },
      ...['meta', 'meta-list', 'meta-none', 'meta-noindex'].map((name) =>
        link(`${main}/nofollow/${name}`),
      ),
      ...['header', 'header-noindex', 'header-other'].map((name) =>
        link(`${main}/nofollow/${name}`),
      ),
    ]),
    ...nofollowPages(main),
    ...leaves(main, ['/nofollow/both', '/nofollow/ugc', '/nofollow/from-noindex']),
    ...leaves(main, ['/nofollow/never-1', '/nofollow/never-2', '/nofollow/after-meta']),
    ...leaves(main, ['/nofollow/after-header', '/nofollow/from-header', '/nofollow/from-other']),
  }),

  /** `trapRobotsTxt` disallows the one half, and allows the other by its longer rules. */
  robots({ main }) {
    const shut = ['/private/shut', '/private/open/shut', '/robots/exact', '/robots/x/y/secret']
    const shutToo = ['/robots/~user', '/robots/page?print=1']
    const open = ['/private/open/page', '/robots/exact/not', '/robots/tie', '/robots/page?view=1']
    const disallowed = [...shut, ...shutToo]
    return {
      [`${main}/robots/`]: htmlPage([...open, ...disallowed].map((path) => link(main + path))),
      ...leaves(main, open),
      ...Object.fromEntries(
        disallowed.map((path, index) => [
          main + path,
          { ...htmlPage([link(`${main}/behind/${index}`)]), isDisallowed: true },
        ]),
      ),
      ...leaves(
        main,
        disallowed.map((_, index) => `/behind/${index}`),
      ),
    }
  },

  /** Canonical tags are ignored, and elements other than `a` and `area` are no links. */
  canonical: ({ main }) => ({
    [`${main}/canonical/page`]: htmlPage(
      [
        link(`${main}/canonical/page?ref=1`, '?ref=1'),
        {
          markup: '<map name="m"><area shape="default" href="/canonical/area" alt="x"></map>',
          to: `${main}/canonical/area`,
        },
      ],
      {
        head: '<link rel="canonical" href="/never/canonical"><link rel="next" href="/never/next">',
      },
    ),
    [`${main}/canonical/page?ref=1`]: htmlPage([link(`${main}/canonical/child`)], {
      head: '<link rel="canonical" href="/canonical/page">',
    }),
    ...leaves(main, ['/canonical/area', '/canonical/child']),
  }),

  otherContent({ main }) {
    const anchor = '<a href="/never/content">x</a>'
    const pages: TrapPages = {
      [`${main}/content/data.json`]: otherPage(
        'application/json',
        `{"html": "${anchor.replaceAll('"', "'")}"}`,
      ),
      [`${main}/content/notes.txt`]: otherPage('text/plain; charset=utf-8', `Notes: ${anchor}\n`),
      [`${main}/content/dot.gif`]: otherPage('image/gif', smallestGif),
      [`${main}/content/feed.xml`]: otherPage(
        'application/xml',
        `<?xml version="1.0"?><feed>${anchor}</feed>`,
      ),
      [`${main}/content/sheet.css`]: otherPage('text/css', `/* ${anchor} */ p { color: red }`),
    }
    return { [`${main}/content/`]: htmlPage(Object.keys(pages).map((url) => link(url))), ...pages }
  },

  /** Many spellings of the same few pages, and pages whose URLs only look alike. */
  spellings({ main }) {
    const target = `${main}/spelling/target`
    const colonAt = main.indexOf('://')
    const [scheme, authority] = [main.slice(0, colonAt), main.slice(colonAt + 3)]
    const hrefs = [
      'target',
      './target',
      'target#top',
      '/spelling/x/../target',
      '/./spelling//../target',
    ]
    const oddities = ['%74arget', ' target\n', 'tar\nget', '\\spelling\\target', 'x/%2e%2E/target']
    const absolute = [
      `//${authority}/spelling/target`,
      `${scheme.toUpperCase()}://${otherSpellingOf(authority)}/spelling/target`,
    ]
    return {
      [`${main}/spelling/`]: htmlPage([
        ...[...hrefs, ...oddities, ...absolute].map((href) => link(target, href)),
        { markup: '<A CLASS=x HREF=target>x</A>', to: target },
        { markup: "<a\n href = 'target' >x</a>", to: target },
        ...['~user', '%7Euser', '%7euser'].map((name) => link(`${main}/spelling/~user`, name)),
        link(`${main}/spelling/gr%C3%B6%C3%9Fe`, 'größe'),
        ...['Target', 'target/', 'a%2Fb', 'a/b'].map((name) =>
          link(`${main}/spelling/${name}`, name),
        ),
        link(`https://${authority}/spelling/target`),
      ]),
      ...leaves(main, ['/spelling/target', '/spelling/~user', '/spelling/gr%C3%B6%C3%9Fe']),
      ...leaves(main, [
        '/spelling/Target',
        '/spelling/target/',
        '/spelling/a%2Fb',
        '/spelling/a/b',
      ]),
      // The same port without TLS: in scope, since http and https are one site, and a page of its own.
      [`https://${authority}/spelling/target`]: unreachablePage('TARGET_TLS_FAILED'),
    }
  },

  /** Markup that is text, and links to what is no page or lies elsewhere. */
  noLinks: ({ main, other }) => ({
    [`${main}/no-links/`]: htmlPage([
      ...[
        '<!-- <a href="/never/comment">x</a> -->',
        '<template><a href="/never/template">x</a></template>',
        '<script>const s = \'<a href="/never/script">x</a>\'</script>',
        '<style>/* <a href="/never/style">x</a> */</style>',
        '<textarea><a href="/never/textarea">x</a></textarea>',
        '<iframe src="/never/iframe"><a href="/never/iframe-text">x</a></iframe>',
        '<img src="/never/image" alt=\'<a href="/never/attribute">x</a>\'>',
        '<form action="/never/form"><button>Send</button></form>',
        '<a name="place" data-href="/never/data">x</a>',
        '&lt;a href="/never/escaped"&gt;',
      ].map(inert),
      ...['javascript:go(1)', 'mailto:a@b.test', 'data:text/html,x', 'tel:+1', 'ftp://127.0.0.1/x']
        .map((href) => `<a href="${href}">x</a>`)
        .map(inert),
      ...['http://[', 'http://127.0.0.1:99999/', 'http://a b/', '#top']
        .map((href) => `<a href="${href}">x</a>`)
        .map(inert),
      ...elsewhere({ main, other }).map((url) => link(url)),
      link(`${main}/no-links/last`),
    ]),
    ...leaves(main, ['/no-links/last']),
    [`${other}/`]: htmlPage([link(`${main}/never/from-outside`)]),
  }),

  statuses: ({ main }) => ({
    [`${main}/status/`]: htmlPage([404, 410, 500].map((code) => link(`${main}/status/${code}`))),
    ...Object.fromEntries(
      [404, 410, 500].map((status) => [`${main}/status/${status}`, htmlPage([], { status })]),
    ),
  }),

  duplicates: ({ main }) => ({
    [`${main}/duplicates/`]: htmlPage(
      Array.from({ length: 200 }, (_, index) => link(`${main}/duplicates/${index % 2}`)),
    ),
    ...leaves(main, ['/duplicates/0', '/duplicates/1']),
  }),

  slow: ({ main }) => ({
    [`${main}/slow/`]: htmlPage([1, 2, 3].map((number) => link(`${main}/slow/${number}`))),
    ...Object.fromEntries(
      [1, 2, 3].map((number) => [
        `${main}/slow/${number}`,
        htmlPage([link(`${main}/slow/${number}/child`)], { isSlow: true }),
      ]),
    ),
    ...leaves(main, ['/slow/1/child', '/slow/2/child', '/slow/3/child']),
  }),
}

function redirectEntries({ main, other }: TrapOrigins): TrapPages {
  return {
    [`${main}/redirects/plain`]: redirectPage(`${main}/ends/plain`, { status: 301 }),
    [`${main}/redirects/relative`]: redirectPage(`${main}/ends/relative?x=1`, {
      status: 307,
      location: '../redirects/.././ends/relative?x=1#part',
    }),
    [`${main}/redirects/gone`]: redirectPage(`${main}/ends/gone`),
    [`${main}/redirects/out-and-back`]: redirectPage(`${other}/bounce`),
    [`${main}/redirects/out-and-home`]: redirectPage(`${other}/bounce-home`),
    [`${main}/redirects/out`]: redirectPage(`${other}/landing`),
    [`${main}/redirects/out-later`]: redirectPage(`${main}/redirect-hops/out`),
    [`${main}/redirects/home`]: redirectPage(`${main}/`, { status: 308, location: '/' }),
    [`${main}/redirects/seen`]: redirectPage(`${main}/redirects/`, { location: './' }),
    [`${main}/redirects/spelled`]: redirectPage(`${main}/~known`, { location: '/%7Eknown#x' }),
    [`${main}/redirects/loop`]: redirectPage(`${main}/redirect-hops/loop`),
    [`${main}/redirects/private`]: redirectPage('http://10.0.0.1/'),
  }
}

function nofollowPages(main: string): TrapPages {
  const after = (name: string) => [link(`${main}/nofollow/${name}`)]
  const meta = (markup: string) => htmlPage(after('after-meta'), { head: markup, nofollow: 'meta' })
  const header = (name: string, value: string) =>
    htmlPage(after(name), { headers: { 'x-robots-tag': value } })
  return {
    [`${main}/nofollow/meta`]: meta('<meta name=robots content=nofollow>'),
    [`${main}/nofollow/meta-list`]: meta('<META CONTENT="noindex, NoFollow" NAME="ROBOTS">'),
    [`${main}/nofollow/meta-none`]: meta("<meta name='robots' content='none'>"),
    [`${main}/nofollow/meta-noindex`]: htmlPage(after('from-noindex'), {
      head: '<meta name="robots" content="noindex"><meta name="other" content="nofollow">',
    }),
    [`${main}/nofollow/header`]: { ...header('after-header', 'nofollow'), nofollow: 'header' },
    [`${main}/nofollow/header-noindex`]: header('from-header', 'noindex, noarchive'),
    [`${main}/nofollow/header-other`]: header('from-other', 'otherbot: nofollow'),
  }
}

/** Hosts and ports out of scope, private addresses among them. */
const elsewhere = ({ main, other }: TrapOrigins): string[] => {
  const port = new URL(main).port
  return [
    `${other}/`,
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    `http://[::1]:${port}/`,
    `http://127.0.0.2:${port}/`,
    `${main.slice(0, main.lastIndexOf(':'))}/`,
    'https://example.test/',
  ]
}

/** Names in capitals; addresses, which have none, in their short form. */
const otherSpellingOf = (authority: string): string =>
  authority.startsWith('127.0.0.1')
    ? authority.replace('127.0.0.1', '127.1')
    : authority.toUpperCase()

/** Pages that only link back to the start. */
const leaves = (origin: string, paths: readonly string[]): TrapPages =>
  Object.fromEntries(paths.map((path) => [origin + path, htmlPage([link(`${origin}/`, '/')])]))

/** Every choice of one or more parts in every order. */
function orderings(parts: readonly string[]): string[][] {
  return parts.flatMap((part) => [
    [part],
    ...orderings(parts.filter((other) => other !== part)).map((rest) => [part, ...rest]),
  ])
}

const smallestGif = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64')

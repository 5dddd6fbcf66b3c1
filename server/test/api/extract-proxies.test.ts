/** `proxy` of an extraction: which proxies of the pool it goes through. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { extract, extracted, failureIn } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { startProxyOnlyTargets } from '../support/proxy-only-targets.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

const target = 'target.test'

onBothStores((kind, start) => {
  test(`${kind}: the proxy of an extraction`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', '<p>behind a proxy</p>')
    const hidden = await startProxyOnlyTargets(t, { [target]: site.port })
    const listed = [
      { label: 'center-de', type: 'datacenter', country: 'DE' },
      { label: 'home-de', type: 'residential', country: 'DE' },
      { label: 'home-fr', type: 'residential', country: 'FR' },
    ]
    const proxies = new Map(
      await Promise.all(
        listed.map(
          async ({ label }) =>
            [label, await startCountingProxy(t, { label, places: hidden.places })] as const,
        ),
      ),
    )
    const { createAccount } = await start(t, {
      environment: {
        ...reachingLoopback,
        TRAWL_DNS_SERVERS: hidden.dns.address,
        TRAWL_PROXIES: JSON.stringify(
          listed.map((entry) => ({
            ...entry,
            url: `http://127.0.0.1:${proxies.get(entry.label)?.route.port}`,
          })),
        ),
      },
    })
    const account = await createAccount()
    const url = `http://${hidden.authorityOf(target)}/`
    /** The proxies that six extractions went through, and what the last one echoed. */
    async function through(body: object) {
      const counts = () => listed.map(({ label }) => proxies.get(label)?.asked.length ?? 0)
      const before = counts()
      let echoed: unknown
      for (let count = 0; count < 6; count++) {
        echoed = (await extracted(account, { url, ...body })).metadata.proxy
      }
      const after = counts()
      return {
        used: listed.filter((_, at) => after[at] !== before[at]).map((p) => p.label),
        echoed,
      }
    }

    const choices: [name: string, proxy: object, used: string[], echoed: object][] = [
      ['datacenter', { type: 'datacenter' }, ['center-de'], { country: null, type: 'datacenter' }],
      [
        'residential, the default of `proxy`,',
        {},
        ['home-de', 'home-fr'],
        { country: null, type: 'residential' },
      ],
      ['mix', { type: 'mix' }, ['center-de', 'home-de', 'home-fr'], { country: null, type: 'mix' }],
      [
        'residential in a country',
        { country: 'FR' },
        ['home-fr'],
        { country: 'FR', type: 'residential' },
      ],
      [
        'mix in a country',
        { country: 'DE', type: 'mix' },
        ['center-de', 'home-de'],
        { country: 'DE', type: 'mix' },
      ],
    ]
    for (const [name, proxy, used, echoed] of choices) {
      await t.test(`an extraction with ${name} goes through such proxies only`, async () => {
        assert.deepEqual(await through({ proxy }), { used, echoed })
      })
    }

    await t.test('without `proxy` any proxy is used, and none is echoed', async () => {
      assert.deepEqual(await through({}), { used: listed.map((p) => p.label), echoed: null })
    })

    await t.test('`proxy` wins over its twins in `configurations`', async () => {
      const configurations = { country_code: 'fr', proxy: { useOnlyResidential: true } }
      const { used } = await through({ proxy: { type: 'datacenter' }, configurations })

      assert.deepEqual(used, ['center-de'])
    })

    await t.test('a type and country that no proxy has is refused without a job', async () => {
      const body = { url, proxy: { type: 'datacenter', country: 'FR' } }
      const response = await extract(account, body)

      const { error } = failureIn(response)
      assert.deepEqual(error.details, { reason: 'NO_PROXY_AVAILABLE' })
      assert.match(error.message, /No datacenter proxy for the country FR/)
      assert.equal(response.headers['x-job-id'], undefined)
    })

    await t.test('a proxy that refuses our credentials is PROXY_ERROR', async () => {
      const body = {
        url,
        proxy: { type: 'datacenter' },
        configurations: { retries: { useRetries: false } },
      }
      proxies.get('center-de')?.behave('unauthorized')
      const { error } = failureIn(await extract(account, body))

      assert.deepEqual([error.code, error.details], ['PROXY_ERROR', { reason: 'PROXY_FAILED' }])
    })

    assert.deepEqual([...hidden.canaries.reached], [])
  })
})

import type { ListedProxy } from '../../src/domain/proxy/proxy.ts'

/** A proxy as a list has it, that is nowhere; its credentials are to be found nowhere either. */
export const createListedProxy = (
  label: string,
  given: Partial<ListedProxy> = {},
): ListedProxy => ({
  label,
  type: 'datacenter',
  country: 'DE',
  protocol: 'http',
  host: 'proxy.test',
  port: 3128,
  user: { name: 'ada', password: 'canary' },
  ...given,
})

import type { DashboardFile, DashboardFiles } from '../../src/dashboard/dashboard-files.ts'
import type { UseCases } from '../../src/http/use-cases.ts'

/** A built dashboard of a page, a script and a style. */
export const builtDashboard = (page = '<title>Dashboard</title>'): UseCases['dashboard'] => ({
  files: () => ({ ...files, page: file('text/html; charset=utf-8', page, false) }),
  isBuilding: () => false,
  notice: () => undefined,
})

const file = (contentType: string, text: string, isCompressed: boolean): DashboardFile => ({
  contentType,
  plain: Buffer.from(text),
  gzip: isCompressed ? Buffer.from(`${text} in gzip`) : undefined,
  brotli: isCompressed ? Buffer.from(`${text} in brotli`) : undefined,
})

const files: Omit<DashboardFiles, 'page'> = {
  stamp: 'stamp',
  assets: new Map([
    ['main-1.js', file('text/javascript; charset=utf-8', 'script', true)],
    ['main-1.css', file('text/css; charset=utf-8', 'style', false)],
  ]),
}

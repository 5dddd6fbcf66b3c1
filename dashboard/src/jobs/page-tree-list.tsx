import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../parts/controls.tsx'
import { Panel } from '../parts/panel.tsx'
import { countText } from '../parts/value-text.ts'
import { originOf, type PageNode, shortUrl } from './page-tree.ts'
import { plural } from './shown-job.ts'
import { StateMark } from './state-mark.tsx'

/** A tree of so many pages is shown whole. */
const wholeMax = 60
const childrenAtOnce = 100

/** What was found where. A branch exists once it is opened, so that thousands of pages are no burden. */
export function PageTree(props: { roots: readonly PageNode[]; pageCount: number }) {
  const { roots, pageCount } = props
  const [first] = roots
  if (!first) return null
  return (
    <Panel title="Tree of pages">
      <Branch
        nodes={roots}
        origin={originOf(first.page.url)}
        isOpenBelow={(depth) => depth === 1 || pageCount <= wholeMax}
      />
    </Panel>
  )
}

interface BranchProps {
  origin: string
  isOpenBelow: (depth: number) => boolean
}

function Branch({ nodes, ...rest }: BranchProps & { nodes: readonly PageNode[] }) {
  const [shownCount, setShownCount] = useState(childrenAtOnce)
  const hiddenCount = nodes.length - shownCount
  return (
    <ul className="page-tree plain-list">
      {nodes.slice(0, shownCount).map((node) => (
        <PageOfTree key={node.page.task_id} node={node} {...rest} />
      ))}
      {hiddenCount > 0 && (
        <li>
          <Button kind="quiet" onClick={() => setShownCount(shownCount + childrenAtOnce)}>
            Show {countText(Math.min(hiddenCount, childrenAtOnce))} more of {countText(hiddenCount)}
          </Button>
        </li>
      )}
    </ul>
  )
}

function PageOfTree({ node, ...rest }: BranchProps & { node: PageNode }) {
  const { page, children, failedBelow } = node
  const [isOpen, setOpen] = useState<boolean>()
  const isShown = isOpen ?? rest.isOpenBelow(page.depth)
  const path = shortUrl(page.url, rest.origin)
  return (
    <li>
      <div className="page-tree-row">
        {children.length > 0 ? (
          <button
            type="button"
            className="page-tree-toggle"
            aria-expanded={isShown}
            aria-label={`${countText(children.length)} ${plural(children.length, 'page')} found on ${path}`}
            onClick={() => setOpen(!isShown)}
          />
        ) : (
          <span />
        )}
        <StateMark status={page.status} />
        <span className="long-text">
          <Link href={`/app/tasks/${page.task_id}`}>{path}</Link>{' '}
          <span className="soft small">
            {page.status}
            {page.error_code && page.status === 'failed' && `: ${page.error_code}`}
            {children.length > 0 && `, ${countText(children.length)} found here`}
            {failedBelow > 0 && `, ${countText(failedBelow)} failed below`}
          </span>
        </span>
      </div>
      {isShown && children.length > 0 && <Branch nodes={children} {...rest} />}
    </li>
  )
}

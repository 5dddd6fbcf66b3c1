import { Component, type ReactNode } from 'react'
import { Button } from '../parts/button.tsx'

/** A bug in one page leaves the others usable; a file of an older build is there again after a reload. */
export class Failed extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <div role="alert" className="empty">
        <h2>This page has failed</h2>
        <p className="fault">{error.message}</p>
        <div>
          <Button onClick={() => window.location.reload()}>Load it again</Button>
        </div>
      </div>
    )
  }
}

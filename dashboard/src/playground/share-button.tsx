import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import type { PlaygroundRequest } from './playground-request.ts'
import { toSharedRequest } from './share-link.ts'
import { addressOf } from './use-form-state.ts'

interface MadeLink {
  address: string | undefined
  outcome: string
}

/** Copies an address that fills the form, and says what is not in it. */
export function ShareButton({ request }: { request: PlaygroundRequest }) {
  const [made, setMade] = useState<MadeLink>()
  const share = () => {
    const shared = toSharedRequest(request)
    const address = addressOf(shared.request)
    const missing = shared.leftOut.length > 0 ? ` Left out: ${shared.leftOut.join(', ')}.` : ''
    const say = (outcome: string) => setMade({ address, outcome: outcome + missing })
    if (address === undefined) return say('The request is too long for a link.')
    navigator.clipboard.writeText(address).then(
      () => say('Copied.'),
      () => say('The browser did not allow to copy it: select it here.'),
    )
  }
  return (
    <>
      <Button onClick={share}>Copy link</Button>
      {made?.address !== undefined && (
        <input
          className="made-link"
          aria-label="Link"
          readOnly
          value={made.address}
          onFocus={({ currentTarget }) => currentTarget.select()}
          // It is in the form, which Enter would run.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      <span role="status" className="soft small">
        {made?.outcome}
      </span>
    </>
  )
}

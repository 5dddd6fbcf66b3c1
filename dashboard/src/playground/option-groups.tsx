import { useState } from 'react'
import { Button } from '../parts/controls.tsx'
import { countText } from '../parts/value-text.ts'
import { type Drafts, isSet } from './option-drafts.ts'
import { type FieldGroup, groupFields, type OptionField } from './option-fields.ts'
import { OptionRow } from './option-row.tsx'

interface GroupsProps {
  fields: readonly OptionField[]
  drafts: Drafts
  faults: Drafts
  onChange: (key: string, draft: string) => void
}

/** Every option there is; a search opens the groups that have what it looks for. */
export function OptionGroups(props: GroupsProps) {
  const [search, setSearch] = useState('')
  const groups = groupFields(props.fields, search)
  const count = groups.reduce((sum, { fields }) => sum + fields.length, 0)
  return (
    <section className="stack" aria-label="Options">
      <div className="field">
        <input
          type="search"
          aria-label="Find an option"
          placeholder="Find an option"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          // It finds while one types; Enter would run the request.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
        <span role="status" className="soft small">
          {countText(count)} {count === 1 ? 'option' : 'options'}
          {search.trim() !== '' && ' found'}
        </span>
      </div>
      {groups.map((group) => (
        <OptionGroup key={group.name} {...props} group={group} isFound={search.trim() !== ''} />
      ))}
    </section>
  )
}

function OptionGroup(props: GroupsProps & { group: FieldGroup; isFound: boolean }) {
  const { group, isFound, drafts, faults, onChange } = props
  const [isWanted, setWanted] = useState(group.name === '')
  const changed = group.fields.filter((field) => isSet(field, drafts)).length
  const hasFault = group.fields.some(({ key }) => faults[key] !== undefined)
  const isOpen = isWanted || isFound || hasFault
  return (
    <details
      className="option-group"
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) setWanted(currentTarget.open)
      }}
    >
      <summary>
        {group.name === '' ? 'Options' : <code>{group.name}</code>}{' '}
        <span className="soft small">
          {countText(group.fields.length)}
          {changed > 0 && `, ${countText(changed)} changed`}
        </span>
      </summary>
      {isOpen &&
        group.fields.map((field) => (
          <OptionRow
            key={field.key}
            field={field}
            draft={drafts[field.key] ?? ''}
            isChanged={isSet(field, drafts)}
            fault={faults[field.key]}
            onChange={onChange}
          />
        ))}
    </details>
  )
}

/** What is sent beside the page, wherever in the form it stands. */
export function ChangedOptions(props: {
  fields: readonly OptionField[]
  drafts: Drafts
  onReset: (keys: readonly string[]) => void
}) {
  const { drafts, onReset } = props
  const changed = props.fields.filter((field) => !field.isRequired && isSet(field, drafts))
  if (changed.length === 0) {
    return <p className="soft small">Every option has its default.</p>
  }
  return (
    <section className="small" aria-label="Changed options">
      <div className="row apart">
        <span>
          {countText(changed.length)} {changed.length === 1 ? 'option differs' : 'options differ'}{' '}
          from the default
        </span>
        <Button kind="quiet" onClick={() => onReset(changed.map(({ key }) => key))}>
          Reset all
        </Button>
      </div>
      <ul className="bullets">
        {changed.map(({ key }) => (
          <li key={key}>
            <code>{key}</code>: {shortText(drafts[key] ?? '')}
          </li>
        ))}
      </ul>
    </section>
  )
}

const charactersMax = 80

function shortText(draft: string): string {
  const line = draft
    .trim()
    .split(/\s*\n\s*/)
    .join(', ')
  return line.length > charactersMax ? `${line.slice(0, charactersMax)}…` : line
}

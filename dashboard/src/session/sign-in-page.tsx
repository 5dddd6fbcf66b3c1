import type { SessionCredential } from '@trawl/sdk'
import { type FormEvent, useEffect, useRef } from 'react'
import { Button, Fault, Field } from '../parts/controls.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useSignIn } from './current-session.ts'

export function SignInPage(given: { linkToken: string | undefined; problem: Error | null }) {
  const signIn = useSignIn()
  useSignInByLink(given.linkToken, signIn.mutate)
  useEffect(() => {
    document.title = 'Sign in · Trawl'
  }, [])
  return (
    <main className="sign-in">
      <h1>Sign in to Trawl</h1>
      <Tabs
        label="How to sign in"
        tabs={{
          Password: (
            <CredentialForm onSubmit={signIn.mutate} isBusy={signIn.isPending}>
              <Field label="Account name" name="username" autoComplete="username" />
              <Field
                label="Password"
                name="password"
                type="password"
                autoComplete="current-password"
              />
            </CredentialForm>
          ),
          'API key': (
            <CredentialForm onSubmit={signIn.mutate} isBusy={signIn.isPending}>
              <Field label="API key" name="api_key" type="password" autoComplete="off" />
            </CredentialForm>
          ),
        }}
      />
      <Fault error={signIn.error ?? given.problem} />
      <p className="soft small">
        The first start of the service prints name, password and key. They are kept in{' '}
        <code>credentials.json</code> of the data folder.
      </p>
    </main>
  )
}

/** The fields of the form are the credential; they are read when it is sent and kept nowhere. */
function CredentialForm(props: {
  onSubmit: (credential: SessionCredential) => void
  isBusy: boolean
  children: React.ReactNode
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = Object.fromEntries(new FormData(event.currentTarget))
    props.onSubmit(fields as unknown as SessionCredential)
  }
  return (
    <form className="stack" onSubmit={submit}>
      {props.children}
      <Button type="submit" kind="main" disabled={props.isBusy}>
        Sign in
      </Button>
    </form>
  )
}

/** Once: a token works a single time, and React runs effects twice during development. */
function useSignInByLink(
  linkToken: string | undefined,
  signIn: (credential: { link_token: string }) => void,
): void {
  const isUsed = useRef(false)
  useEffect(() => {
    if (!linkToken || isUsed.current) return
    isUsed.current = true
    signIn({ link_token: linkToken })
  }, [linkToken, signIn])
}

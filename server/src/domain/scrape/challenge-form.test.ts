import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasChallengeForm } from './challenge-form.ts'

const inForm = (element: string) => `<!doctype html><body><form method="post">${element}</form>`

const pages: [name: string, html: string, boolean][] = [
  [
    "Cloudflare's form",
    '<form id="challenge-form" action="/?__cf_chl_f_tk=x" method="POST">',
    true,
  ],
  ['reCAPTCHA in a form', inForm('<div class="g-recaptcha" data-sitekey="k"></div>'), true],
  ['hCaptcha in a form', inForm("<div data-sitekey='k' class='h-captcha'></div>"), true],
  ['Turnstile in a form', inForm('<div class="box cf-turnstile" data-sitekey="k"></div>'), true],
  ['a captcha without a form', '<div class="g-recaptcha" data-sitekey="k"></div>', false],
  ['a class without a key', inForm('<p class="g-recaptcha">how to use it</p>'), false],
  ['words about challenges', inForm('<p>Solve the captcha: prove that you are human.</p>'), false],
  ['an ordinary form', inForm('<input name="challenge-form">'), false],
]

for (const [name, html, expected] of pages) {
  test(`${name} ${expected ? 'is' : 'is not'} a challenge`, () => {
    assert.equal(hasChallengeForm(html), expected)
  })
}

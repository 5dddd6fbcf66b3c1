/** As much of a page is looked at; a challenge page is small. */
export const challengeBytesMax = 64 * 1_024

/** The form of Cloudflare's challenge page. */
const challengeForm = /<form\b[^>]{0,1000}\bid\s?=\s?["']?challenge-form\b/i

/** The elements that reCAPTCHA, hCaptcha and Turnstile tell sites to put into a form. */
const captchaElement =
  /<\w[^>]{0,1000}\bclass\s?=\s?["'][^"'>]{0,200}\b(?:g-recaptcha|h-captcha|cf-turnstile)\b[^>]{0,1000}>/gi
const siteKey = /\bdata-sitekey\s?=/i

/**
 * Whether a page has a form that asks for proof of a human visitor. Many pages have one beside their
 * content, so it means something only where the status says that the page was refused.
 */
export function hasChallengeForm(text: string): boolean {
  if (!/<form\b/i.test(text)) return false
  if (challengeForm.test(text)) return true
  return (text.match(captchaElement) ?? []).some((element) => siteKey.test(element))
}

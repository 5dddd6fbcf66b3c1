import type { ButtonHTMLAttributes } from 'react'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `main` is the one action of a form, `quiet` one beside other things. */
  kind?: 'main' | 'plain' | 'quiet'
}

export function Button({ kind = 'plain', type = 'button', ...rest }: ButtonProps) {
  return <button {...rest} type={type} className="button" data-kind={kind} />
}

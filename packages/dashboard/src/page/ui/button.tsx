import type { ButtonHTMLAttributes } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import { attempt, say } from './toast.tsx'

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'class' | 'icon'> {
  icon?: IconName
  /** `primary`, `small`, `quiet`, `danger`. */
  kind?: string
  /** Done on a click. What goes wrong is shown for a few seconds. */
  act?: () => unknown
}

export function Button({ icon, kind = '', act, children, ...others }: ButtonProps) {
  return (
    <button type="button" class={`button ${kind}`} {...others} {...(act && { onClick: () => attempt(act) })}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const copy = async () => {
    // The clipboard is there for https and localhost only.
    if (navigator.clipboard === undefined)
      throw new Error('The browser does not let the page copy. Select the text instead.')
    await navigator.clipboard.writeText(text())
    say(`${label}: done.`)
  }
  return (
    <Button kind="small" icon="copy" act={copy}>
      {label}
    </Button>
  )
}

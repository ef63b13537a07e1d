import { signal } from '@preact/signals'

const message = signal<{ text: string; isError: boolean } | undefined>(undefined)
const SHOWN_MS = 5_000
const timer = { current: 0 }

/** Says something for a few seconds; screen readers read it. */
export function say(text: string, isError = false): void {
  message.value = { text, isError }
  clearTimeout(timer.current)
  timer.current = window.setTimeout(() => {
    message.value = undefined
  }, SHOWN_MS)
}

/** Does something and says what went wrong, if anything did. */
export async function attempt(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true)
  }
}

export function Toast() {
  const shown = message.value
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown && <p class={shown.isError ? 'toast error' : 'toast'}>{shown.text}</p>}
    </div>
  )
}

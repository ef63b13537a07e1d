import { signal } from '@preact/signals'
import { Icon } from './ui/icon.tsx'

const NAME = 'modelrun-theme'

const isDark = signal(startsDark())

function startsDark(): boolean {
  const kept = localStorage.getItem(NAME)
  return kept === null ? matchMedia('(prefers-color-scheme: dark)').matches : kept === 'dark'
}

export function showTheme(): void {
  const kept = localStorage.getItem(NAME)
  if (kept !== null) document.documentElement.dataset.theme = kept
}

export function ThemeButton() {
  const toggle = () => {
    isDark.value = !isDark.value
    localStorage.setItem(NAME, isDark.value ? 'dark' : 'light')
    showTheme()
  }
  return (
    <button
      type="button"
      class="button small quiet"
      onClick={toggle}
      aria-label={isDark.value ? 'Light theme' : 'Dark theme'}
    >
      <Icon name="sun" />
    </button>
  )
}

import { computed, signal } from '@preact/signals'

/** The screens, in the order of the navigation. */
export const SCREENS = ['models', 'jobs', 'deliveries', 'world'] as const

export type Screen = (typeof SCREENS)[number]

const hash = signal(location.hash)

/** Where the page is: the part of its URL behind `#`. */
export const route = computed(() => readRoute(hash.value))

export function startRouting(): void {
  window.addEventListener('hashchange', () => {
    hash.value = location.hash
  })
}

/** The URL of a screen, or of one thing on it. */
export function linkTo(screen: Screen, id?: string): string {
  return id === undefined ? `#/${screen}` : `#/${screen}/${encodeURIComponent(id)}`
}

function readRoute(text: string): { screen: Screen; id: string | undefined } {
  const [, name, id] = text.split('/')
  const screen = SCREENS.find((one) => one === name) ?? 'models'
  return { screen, id: id === undefined || id === '' ? undefined : decodeURIComponent(id) }
}

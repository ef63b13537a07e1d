import { computed, signal } from '@preact/signals'
import { decoded } from './text/code.ts'

/** The screens, in the order of the navigation. */
export const SCREENS = ['activity', 'models', 'controls'] as const

export type Screen = (typeof SCREENS)[number] | 'jobs'

const hash = signal(location.hash)

/** Where the page is: the part of its URL behind `#`. */
export const route = computed(() => readRoute(hash.value))

export function startRouting(): void {
  window.addEventListener('hashchange', () => {
    hash.value = location.hash
  })
}

/** The URL of a screen, or of one thing on it. */
export function linkTo(screen: Screen, id?: string, query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  const text = String(new URLSearchParams(given))
  const path = id === undefined ? `#/${screen}` : `#/${screen}/${encodeURIComponent(id)}`
  return text === '' ? path : `${path}?${text}`
}

/** The URL of the same screen with some of its query changed. */
export function linkHere(change: Record<string, string | undefined>): string {
  const { screen, id, query } = route.value
  return linkTo(screen, id, { ...query, ...change })
}

/** Goes there; the history of the browser stays as it is. */
export function changeQuery(change: Record<string, string | undefined>): void {
  history.replaceState(null, '', linkHere(change))
  hash.value = location.hash
}

function readRoute(text: string) {
  const [path = '', search = ''] = text.split('?', 2)
  const [, name, id] = path.split('/')
  const screen: Screen = name === 'jobs' && id ? name : (SCREENS.find((one) => one === name) ?? 'activity')
  const query: Record<string, string | undefined> = Object.fromEntries(new URLSearchParams(search))
  return { screen, id: id === undefined || id === '' ? undefined : decoded(id), query }
}

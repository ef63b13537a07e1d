import { signal } from '@preact/signals'
import { post, read, remove } from './control.ts'

/** Another server that went on from the state of this one. */
export interface Fork {
  id: string
  url: string
  dashboard_url?: string
}

export const forks = signal<readonly Fork[]>([])

/** URL of the server that this one is a fork of. */
export const forkOf = signal<string | undefined>(undefined)

export async function loadForks(): Promise<void> {
  const list = await read<{ forks: Fork[]; fork_of?: string }>('forks')
  forks.value = list.forks
  forkOf.value = list.fork_of
}

export async function openFork(): Promise<Fork> {
  const fork = await post<Fork>('forks')
  forks.value = [...forks.value, fork]
  return fork
}

export async function stopFork({ id }: Fork): Promise<void> {
  await remove(`forks?id=${id}`)
  await loadForks()
}

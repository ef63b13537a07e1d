import { signal } from '@preact/signals'
import { read } from './control.ts'
import type { AddedFault, ApiKey } from './wire.ts'

/** Keys and faults, which are not in events. */
export const keys = signal<readonly ApiKey[] | undefined>(undefined)
export const faults = signal<readonly AddedFault[]>([])

/** The key that the page runs models with; `undefined` for the first. */
export const chosenKey = signal<string | undefined>(undefined)

export function currentKey(): ApiKey | undefined {
  const list = keys.value ?? []
  return list.find(({ key }) => key === chosenKey.value) ?? list[0]
}

export async function loadWorld(): Promise<void> {
  const list = await read<{ keys: ApiKey[] }>('keys/list')
  keys.value = list.keys
  await loadFaults()
}

/** The faults of the key that is chosen. */
export async function loadFaults(): Promise<void> {
  const { faults: list } = await read<{ faults: AddedFault[] }>(`faults${keyQuery()}`)
  faults.value = list
}

/** `?key=` for another account than the first. */
export function keyQuery(): string {
  return chosenKey.value === undefined ? '' : `?key=${encodeURIComponent(chosenKey.value)}`
}

/** The account of a control request; nothing for the first. */
export function ofKey(): { key?: string } {
  return chosenKey.value === undefined ? {} : { key: chosenKey.value }
}

import { computed, signal } from '@preact/signals'
import { remove } from './control.ts'
import type { AddedFault, ApiKey } from './wire.ts'

/** The keys, with the faults of their accounts and the way in which results are delivered. */
export const keys = signal<readonly ApiKey[]>([])

/** The key that the page uses: the first that can be used. */
export const currentKey = computed(() => keys.value.find(({ revoked }) => !revoked) ?? keys.value[0])

export const ofKey = () => ({ key: currentKey.value?.key })

/** What is shown of a key where it is not to be copied. */
export function shortKey(key: string): string {
  return `${key.slice(0, 12)}…`
}

export function removeFault({ key }: Pick<ApiKey, 'key'>, { id }: AddedFault): Promise<void> {
  return remove(`faults?key=${encodeURIComponent(key)}&id=${id}`)
}

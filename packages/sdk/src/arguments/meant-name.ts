import { closestName } from '../runs/closest-name.ts'

/** The name of an option in the service's API or in other clients, in lower case, where it differs a lot from ours. */
const SYNONYMS: Readonly<Record<string, string>> = {
  signal: 'abortsignal',
  mode: 'sync',
  onStatus: 'onprogress',
  onSucceeded: 'onsuccess',
  onFailed: 'onerror',
  publicUrl: 'baseurl',
}

/** The option that was probably meant by an unknown name. */
export function meantName(name: string, names: readonly string[]): string | undefined {
  const closest = closestName(name, names)
  if (closest !== undefined) return closest
  const synonym = names.find((candidate) => SYNONYMS[candidate] === name.toLowerCase())
  // The same as `sync: false` in the service's API.
  return synonym === 'mode' ? "mode: 'async'" : synonym
}

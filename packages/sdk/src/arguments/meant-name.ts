import { closestName } from '../runs/closest-name.ts'

/** What the wire and other clients call an option, in small letters, where its own name is too far from that. */
const SYNONYMS: Readonly<Record<string, string>> = {
  signal: 'abortsignal',
  mode: 'sync',
  onStatus: 'onprogress',
  onSucceeded: 'onsuccess',
  onFailed: 'onerror',
  publicUrl: 'baseurl',
}

/** The option that was probably meant by a name that is none. */
export function meantName(name: string, names: readonly string[]): string | undefined {
  const closest = closestName(name, names)
  if (closest !== undefined) return closest
  const synonym = names.find((candidate) => SYNONYMS[candidate] === name.toLowerCase())
  // What `sync: false` is on the wire.
  return synonym === 'mode' ? "mode: 'async'" : synonym
}

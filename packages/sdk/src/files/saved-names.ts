import type { OutputItem } from '@modelrun/contract'
import { ConfigurationError } from '../errors/local-errors.ts'

/** How the files of an output are named. */
export interface NameOptions {
  jobId: string
  name?: ((item: OutputItem, index: number) => string) | undefined
}

/** An extension; `2` in `poster v1.2` is none. */
const EXTENSION = /\.[a-z]\w{0,9}$/i

/**
 * The names under which the files of an output are saved, as functions of the name that the response suggests.
 *
 * @throws ConfigurationError when a name leads out of the folder, or two are the same
 */
export function namesOf(items: readonly OutputItem[], { jobId, name }: NameOptions): ((suggested: string) => string)[] {
  const taken = new Set<string>()
  const take = (chosen: string) => {
    // Many file systems see no difference between these.
    const key = chosen.normalize('NFC').toLowerCase()
    if (taken.has(key)) {
      throw new ConfigurationError({ message: `Two files would get the name ${JSON.stringify(chosen)}.` })
    }
    taken.add(key)
  }
  const chosen = items.map((item, index) => {
    const base = name === undefined ? `${jobId.replace(/[^\w.-]+/g, '_')}-${index}` : checkName(name(item, index))
    take(base)
    return base
  })
  return chosen.map((base) => (suggested) => {
    const extension = EXTENSION.exec(suggested)?.[0] ?? ''
    if (extension === '' || (name !== undefined && EXTENSION.test(base))) return base
    take(`${base}${extension}`)
    return `${base}${extension}`
  })
}

function checkName(name: unknown): string {
  // A colon names a drive, or a hidden stream of another file, under Windows.
  const isPlain = typeof name === 'string' && name.trim() !== '' && !/^\.{1,2}$|[/\\:\p{Cc}]/u.test(name)
  if (isPlain) return name
  throw new ConfigurationError({
    message: `The option \`name\` must give a plain file name, without slashes, colons and control characters, not ${JSON.stringify(name)}.`,
  })
}

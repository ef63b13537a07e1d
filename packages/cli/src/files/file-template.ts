import { UsageError } from '../errors/usage-error.ts'

export const DEFAULT_TEMPLATE = '{model}-{job_id}-{index}.{ext}'

/** What a template can name. Rows and keys exist in a batch. */
export interface TemplateValues {
  model: string
  job_id: string
  index: number
  row?: string | undefined
  key?: string | undefined
}

/** Names of files on every system: a service and a table of inputs can hold anything. */
const UNSAFE = /[^\p{L}\p{N}._ ()-]+/gu
const LONGEST_PART = 80

/** What the client takes for the extension of a name. */
export const EXTENSION = /\.[a-z]\w{0,9}$/i

/** @throws UsageError when a template cannot name files. Called before a run is paid */
export function checkTemplate(template: string, known: readonly string[]): void {
  if (/[/\\:\p{Cc}]/u.test(template)) {
    throw new UsageError(`--name ${template} must be a file name: no slashes and colons. --out names the folder.`)
  }
  for (const [, name = ''] of template.matchAll(/\{([^{}]*)\}/g)) {
    if (name === 'ext' ? template.endsWith('.{ext}') && template.split('{ext}').length === 2 : known.includes(name))
      continue
    throw new UsageError(
      name === 'ext'
        ? `--name ${template}: {ext} stands at the end, once, as in ${DEFAULT_TEMPLATE}.`
        : `--name ${template}: there is no {${name}}. It can have ${known.map((one) => `{${one}}`).join(' ')} {ext}.`,
    )
  }
  if (template.replace(/\.?\{ext\}$/, '') === '') throw new UsageError(`--name ${template} has no name before {ext}.`)
}

/** A name without its extension, which comes with the file. It never leads out of its folder. */
export function fillTemplate(template: string, values: TemplateValues): string {
  const filled = template.replace(/\.\{ext\}$/, '').replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value: unknown = Reflect.get(values, name)
    return safePart(String(value ?? ''))
  })
  const plain = /^\.*$/.test(filled) ? `_${filled}` : filled.replace(/^[.-]/, '_')
  // A model called `flux.dev` is not a file of the type dev.
  return template.endsWith('.{ext}') ? plain.replace(EXTENSION, (end) => end.replace('.', '_')) : plain
}

function safePart(text: string): string {
  return text.normalize('NFC').replace(UNSAFE, '-').slice(0, LONGEST_PART)
}

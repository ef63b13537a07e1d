import { readFileSync } from 'node:fs'
import { join } from 'node:path'

function read(document) {
  return readFileSync(join(import.meta.dirname, '../..', document), 'utf8')
}

/** The files that a guide shows: blocks whose first line names one, such as "```js jest.config.js". */
export function readGuideFiles(guide) {
  const blocks = read(guide).matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)
  return Object.fromEntries(Array.from(blocks, ([, name, text]) => [name, text]))
}

/** The first block of a language in a document. */
export function readFirstBlock(document, language) {
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(read(document))[1]
}

/** The program that a README starts with, under the name by which the README says to save it. */
export function readQuickstart(readme) {
  const [, name, text] = /^Save (?:this )?as `(\S+)`.*?^```ts\n(.*?)^```$/ms.exec(read(readme))
  return { name, text }
}

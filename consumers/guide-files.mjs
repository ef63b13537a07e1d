import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files that the guide shows: blocks whose first line names one, such as "```js jest.config.js". */
export function readGuideFiles() {
  const guide = readFileSync(join(import.meta.dirname, '../docs/guides/jest-and-commonjs.md'), 'utf8')
  const blocks = guide.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)
  return Object.fromEntries(Array.from(blocks, ([, name, text]) => [name, text]))
}

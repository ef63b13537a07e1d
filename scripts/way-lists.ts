// The lists of files in docs/architecture.md. What a file is for is written there by hand, and kept.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Way } from './ways.ts'

const markOf = (name: string) => `<!-- files of: ${name} -->\n`

/** The page with the lists of these ways. A file that is in an earlier list is only counted. */
export function writeLists(page: string, ways: readonly Way[]): string {
  const purposes = new Map(
    Array.from(page.matchAll(/^ *(\S+\.tsx?)(?: {2,}(\S.*))$/gm), ([, file, text]) => [file, text]),
  )
  const shown = new Set<string>()
  return ways.reduce((text, way) => {
    const files = way.files.filter((file) => !shown.has(file))
    for (const file of files) shown.add(file)
    const lines = treeOf(files, way.entry).map(({ file, depth }) => {
      const path = `${'  '.repeat(depth)}${shortOf(file)}`
      return `${path.padEnd(48)}  ${purposes.get(shortOf(file)) ?? ''}`.trimEnd()
    })
    const rest = way.files.length - files.length
    const more = rest > 0 ? [`and ${rest} of the files above`] : []
    const list = `\`\`\`text\n${[...lines, ...more].join('\n')}\n\`\`\`\n`
    const mark = markOf(way.name)
    if (!text.includes(mark)) throw new Error(`docs/architecture.md has no ${mark.trim()}.`)
    return text.replace(new RegExp(`(?<=${mark})\`\`\`text\n.*?\`\`\`\n`, 's'), () => list)
  }, page)
}

/** The files of each list, whatever their order and purpose. */
export function filesInLists(page: string): string[] {
  const lists = page.match(/(?<=<!-- files of: .+ -->\n)```text\n.*?```\n/gs) ?? []
  return lists
    .flatMap((list, index) => (list.match(/^ *\S+\.tsx?/gm) ?? []).map((file) => `${index} ${file.trim()}`))
    .toSorted()
}

const shortOf = (file: string) => file.replace('/src/', '/')

/** Each file under the one of these that imports it, nearest to the entry. */
function treeOf(files: readonly string[], entry: string) {
  const left = new Set(files)
  const importsOf = new Map(files.map((file) => [file, importedBy(file).filter((each) => left.has(each))]))
  const imported = new Set([...importsOf.values()].flat())
  const byPackage = (file: string) => [file.split('/')[0] === entry.split('/')[0] ? 0 : 1, file].join()
  const roots = files
    .filter((file) => !imported.has(file))
    .toSorted((one, other) => (byPackage(one) < byPackage(other) ? -1 : 1))
  const parents = new Map<string, string[]>()
  const queue = [...new Set([entry, ...roots])].filter((file) => left.delete(file))
  const tops = [...queue]
  for (const file of queue) {
    const children = (importsOf.get(file) ?? []).filter((each) => left.delete(each))
    parents.set(file, children)
    queue.push(...children)
  }
  const linesOf = (file: string, depth: number): { file: string; depth: number }[] => [
    { file, depth },
    ...(parents.get(file) ?? []).flatMap((child) => linesOf(child, depth + 1)),
  ]
  return tops.flatMap((file) => linesOf(file, 0))
}

function importedBy(file: string): string[] {
  const text = readFileSync(join('packages', file), 'utf8').replaceAll(/^import type .*$/gm, '')
  const paths = Array.from(text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g), ([, path = '']) => path)
  return paths.map((path) => join(dirname(file), path))
}

import type { MutantResult } from '@stryker-mutator/api/core'
import { isMissed, lineOf } from './report.ts'

interface Path {
  node: { type: string; value?: unknown; quasis?: { value: { raw: string } }[]; expressions?: { type: string }[] }
}

const plain = new Set(['Identifier', 'MemberExpression', 'CallExpression'])

/** A text with a space is a sentence for people. No test holds its words, so that they can get better. */
function isText({ node }: Path): boolean {
  if (node.type === 'StringLiteral') return String(node.value).includes(' ')
  if (node.type !== 'TemplateLiteral') return false
  // Nothing inside of an ignored text is mutated: one that decides something stays.
  const decides = node.expressions?.some(({ type }) => !plain.has(type)) ?? false
  return !decides && (node.quasis?.some(({ value }) => value.raw.includes(' ')) ?? false)
}

/** Shows at once what no test noticed: the whole takes long. */
function printSurvivor(mutant: MutantResult): void {
  if (isMissed(mutant)) console.log(lineOf(mutant))
}

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'texts-for-people',
    value: { shouldIgnore: (path: Path) => (isText(path) ? 'a text for people' : undefined) },
  },
  { kind: 'Reporter', name: 'survivors', value: { onMutantTested: printSurvivor } },
]

import { readFileSync, writeFileSync } from 'node:fs'
import type { RecipeFault } from '../../packages/integration-tests/src/engines/order.ts'
import type { OtherEngine } from './engines.ts'
import type { Outcome } from './perform.ts'

/** What was measured in one engine. */
export interface Row {
  engine: OtherEngine
  version: string
  cells: Map<RecipeFault, { naive: Outcome | undefined; ours: Outcome }>
  /** How often the step of a second order with the same key was tried. */
  conflict: { tries: number; result: string }
  /** POSTs and end of a video that the AI SDK starts, in a step that dies. */
  aiSdk?: { posts: number; state: string }
}

const COLUMNS: readonly (readonly [title: string, fault: RecipeFault])[] = [
  ['response lost', 'lost-response'],
  ['dies after the POST', 'death'],
  ['two at once', 'two-at-once'],
  ['webhook lost', 'lost-webhook'],
  ['store replies lost', 'lost-store'],
]

export function renderTable(rows: readonly Row[]): string {
  const head = ['engine', 'version', 'a failed step', ...COLUMNS.map(([title]) => title)]
  const lines = rows.map(({ engine, version, cells }) => [
    engine.title,
    version,
    engine.byDefault,
    ...COLUMNS.map(([, fault]) => renderCell(cells.get(fault))),
  ])
  return [head, head.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

function renderCell(cell: { naive: Outcome | undefined; ours: Outcome } | undefined): string {
  if (cell === undefined) return ''
  const ours = renderOutcome(cell.ours)
  return cell.naive === undefined ? ours : `${renderOutcome(cell.naive)} → ${ours}`
}

function renderOutcome({ posts, credits, result }: Outcome): string {
  return `${posts > 1 ? `**${posts}**` : posts}/${credits}/${result}`
}

/** What breaks the promise: two POSTs for a key, or a result that is lost. */
export function problemsIn({ engine: { title, repeats = true }, cells, conflict, aiSdk }: Row): string[] {
  const problems = [...cells].flatMap(([fault, { ours }]) => {
    const expected = expectedResult(fault, repeats)
    if (ours.posts === 1 && ours.result === expected) return []
    return [`${title}, ${fault}: ${ours.posts} POSTs, ${ours.result} instead of ${expected}`]
  })
  if (aiSdk && (aiSdk.posts !== 1 || aiSdk.state !== 'completed')) {
    problems.push(`${title} with the AI SDK: ${aiSdk.posts} POSTs, ${aiSdk.state}`)
  }
  if (conflict.tries === 1 && conflict.result === 'kept, failed') return problems
  return [...problems, `${title}: a key of another order is tried ${conflict.tries} times, ${conflict.result}`]
}

function expectedResult(fault: RecipeFault, repeats: boolean): string {
  if (fault === 'lost-response') return 'unknown'
  return fault === 'death' && !repeats ? 'failed' : 'kept'
}

const START = '<!-- engines: start -->\n'
const END = '\n<!-- engines: end -->'

/** Puts the table between the two marks of the guide. */
export function writeTable(guide: string, table: string): void {
  const text = readFileSync(guide, 'utf8')
  const [before] = text.split(START)
  const [, after] = text.split(END)
  writeFileSync(guide, `${before}${START}${table}${END}${after}`)
}

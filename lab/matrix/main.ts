/**
 * `npm run matrix`: every cell of (what the network does) x (what is plugged in) x (how a run is started). Prints a table of
 * the broken promises. Exit code 1: a cell broke a promise.
 */
import { parseArgs } from 'node:util'
import { allCells, describeCell, nameOf, pairCells, runCells } from './matrix.ts'
import { printTable } from './table.ts'

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { only: text, every: { type: 'boolean' }, concurrency: text } })
const only = values.only?.split('&').map((part) => part.trim()) ?? []
const cells = (values.every ? allCells() : pairCells()).filter((cell) =>
  only.every((part) => nameOf(cell).includes(part)),
)
const startedAt = performance.now()
let done = 0
const onCell = () => {
  if (++done % 500 === 0)
    console.error(`${done} of ${cells.length} cells, ${Math.round((performance.now() - startedAt) / 1_000)} s`)
}
const result = await runCells(cells, { concurrency: Number(values.concurrency ?? 48), onCell })
printTable(cells, result.broken)
for (const cell of result.broken) console.log(`\n${describeCell(cell)}`)
for (const each of new Set(result.noise)) console.log(`\nnot caught: ${each}`)
const seconds = Math.round((performance.now() - startedAt) / 1_000)
console.log(
  `\n${cells.length} cells, ${result.broken.length} with broken promises, ${result.noise.length} not caught, ${seconds} s`,
)
if (result.broken.length + result.noise.length > 0) process.exitCode = 1
// A timer that is left would hold the process.
setTimeout(() => {
  console.error('This process does not end:', process.getActiveResourcesInfo())
  process.exit(1)
}, 5_000).unref()

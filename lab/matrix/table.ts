import { PROMISES } from './evidence.ts'
import type { JudgedCell } from './matrix.ts'
import { CALLS } from './plugin.ts'
import type { CellPlan } from './run-cell.ts'

/** Rows: networks; columns: groups of plug-ins; in each, how many cells broke a promise, by call. */
export function printTable(cells: readonly CellPlan[], broken: readonly JudgedCell[]): void {
  const groupOf = ({ plugin }: CellPlan) => plugin.name.split(':')[0] ?? ''
  const groups = [...new Set(cells.map(groupOf))]
  const networks = [...new Set(cells.map(({ network }) => network.name))]
  const rows = networks.map((name) => {
    const columns = groups.map((group) => {
      const isHere = (cell: CellPlan) => cell.network.name === name && groupOf(cell) === group
      const here = broken.filter(isHere)
      if (here.length === 0) return cells.some(isHere) ? '·' : ''
      return CALLS.map((call) => here.filter((cell) => cell.call === call).length || '·').join('')
    })
    return [name, ...columns]
  })
  const table = [['', ...groups], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  for (const [promise, meaning] of Object.entries(PROMISES)) console.log(`${promise.padEnd(9)} ${meaning}`)
  console.log(`\nBroken promises by ${CALLS.join(', ')}`)
  for (const row of table) console.log(row.map((value, column) => value.padEnd(widths[column] ?? 0)).join('  '))
}

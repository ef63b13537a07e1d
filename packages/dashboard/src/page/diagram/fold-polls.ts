import type { Exchange } from '../data/wire.ts'

/** An exchange, and how many like it follow that are not shown. */
export interface Folded {
  exchange: Exchange
  folded: number
}

/** Of more than so many polls in a row that say the same, the first and the last are shown. */
const LONGEST_ROW = 3

/** Leaves out polls that say nothing new. */
export function foldPolls(exchanges: readonly Exchange[]): Folded[] {
  const rows: Exchange[][] = []
  for (const exchange of exchanges) {
    const row = rows.at(-1)
    const last = row?.at(-1)
    if (row !== undefined && last !== undefined && isSamePoll(last, exchange)) row.push(exchange)
    else rows.push([exchange])
  }
  return rows.flatMap((row): Folded[] => {
    if (row.length <= LONGEST_ROW) return row.map((exchange) => ({ exchange, folded: 0 }))
    const [first, last] = [row[0], row.at(-1)]
    if (first === undefined || last === undefined) return []
    return [
      { exchange: first, folded: row.length - 2 },
      { exchange: last, folded: 0 },
    ]
  })
}

function isSamePoll(one: Exchange, other: Exchange): boolean {
  if (one.kind !== 'request' || other.kind !== 'request') return false
  if (one.route !== 'getJob' || other.route !== 'getJob' || one.fault || other.fault) return false
  return one.status === other.status && one.job_status === other.job_status
}

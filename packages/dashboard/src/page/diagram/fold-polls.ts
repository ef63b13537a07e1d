import type { Exchange } from '../data/wire.ts'

/** An exchange, and how many like it follow that are not shown. */
export interface Folded {
  exchange: Exchange
  folded: number
}

/** Leaves out polls that say nothing new: of several in a row that say the same, the first and the last are shown. */
export function foldPolls(exchanges: readonly Exchange[]): Folded[] {
  const shown: Folded[] = []
  for (const [index, exchange] of exchanges.entries()) {
    const last = shown.at(-1)
    const isInside = isSamePoll(exchange, exchanges[index - 1]) && isSamePoll(exchange, exchanges[index + 1])
    if (isInside && last !== undefined) last.folded++
    else shown.push({ exchange, folded: 0 })
  }
  return shown
}

function isSamePoll(one: Exchange, other: Exchange | undefined): boolean {
  if (one.kind !== 'request' || other?.kind !== 'request') return false
  if (one.route !== 'getJob' || other.route !== 'getJob' || one.fault || other.fault) return false
  return one.status === other.status && one.job_status === other.job_status
}

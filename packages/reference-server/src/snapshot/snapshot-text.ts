import type { AccountState } from './snapshot.ts'
import type { SnapshotView } from './take-snapshot.ts'

/** A part is written as soon as it is this long; one more job or delivery may follow, of a megabyte at most. */
const PART_LENGTH = 64 * 1024

/**
 * A snapshot as JSON text, part by part, so that a server with a hundred thousand jobs can respond between the parts.
 * Nothing that happens meanwhile changes the text.
 */
export function* snapshotText(view: SnapshotView): Iterable<string> {
  yield* joined(pieces(view))
}

function* pieces({ jobs, accounts, ...rest }: SnapshotView): Iterable<string> {
  yield `${JSON.stringify(rest).slice(0, -1)},"accounts":[`
  let separator = ''
  for (const account of accounts) {
    yield separator
    yield* accountPieces(account)
    separator = ','
  }
  yield '],"jobs":['
  yield* items(jobs)
  yield ']}'
}

function* accountPieces({ deliveries, ...rest }: AccountState): Iterable<string> {
  yield `${JSON.stringify(rest).slice(0, -1)},"deliveries":[`
  yield* items(deliveries)
  yield ']}'
}

function* items(values: Iterable<unknown>): Iterable<string> {
  let separator = ''
  for (const value of values) {
    yield separator + JSON.stringify(value)
    separator = ','
  }
}

function* joined(texts: Iterable<string>): Iterable<string> {
  let part = ''
  for (const text of texts) {
    part += text
    if (part.length < PART_LENGTH) continue
    yield part
    part = ''
  }
  if (part !== '') yield part
}

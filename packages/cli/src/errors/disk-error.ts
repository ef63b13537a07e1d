/** What a batch must keep cannot be written. */
export class DiskError extends Error {
  override readonly name = 'DiskError'
}

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_FULL = 13

/** The reason why the disk does not take what is written, in words; undefined for an error of another kind, or one that passes. */
export function diskProblem(error: unknown): string | undefined {
  for (let one = Object(error); one !== undefined; one = one.cause) {
    const { code, errcode, message } = Object(one)
    if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk is full'
    // The higher bits have the details.
    const kind = typeof errcode === 'number' ? errcode & 0xff : undefined
    if (kind === SQLITE_FULL) return 'The disk is full'
    if (kind !== undefined && kind !== SQLITE_BUSY && kind !== SQLITE_LOCKED) {
      return `The state of the batch cannot be written (${String(message)})`
    }
    if (one === null || one.cause === one) return undefined
  }
  return undefined
}

/** Keys of rows never have this character. */
const SEPARATOR = '\u001f'

/** The key of the run of an attempt, from 1. The first attempt has the key of the row. */
export function attemptKey(key: string, attempt: number): string {
  return attempt === 1 ? key : `${key}${SEPARATOR}${attempt}`
}

/** Whether the key of a row could be taken for that of an attempt, here or in `@modelrun/durable`. */
export function looksLikeAttempt(key: string): boolean {
  return key.includes(SEPARATOR) || key.includes('\u001e')
}

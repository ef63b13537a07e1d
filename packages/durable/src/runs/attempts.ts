import { ConfigurationError } from 'modelrun'

/** Separates the key of a run from the number of its attempt. Keys of users never have it. */
const SEPARATOR = '\u001e'

const LONGEST_KEY = 300

/** The id of an attempt, from 1, in the queues of a batch. A retried run has several; each is sent at most once. */
export function attemptId(key: string, attempt: number): string {
  return attempt === 1 ? key : `${key}${SEPARATOR}${attempt}`
}

/** The key of the run that an attempt belongs to. */
export function keyOf(id: string): string {
  return id.split(SEPARATOR, 1)[0] ?? id
}

/** @throws ConfigurationError */
export function checkKey(key: unknown): void {
  const isKey = typeof key === 'string' && key !== '' && key.length <= LONGEST_KEY && !key.includes(SEPARATOR)
  if (isKey) return
  const message = `The key of a run is a text of 1 to ${LONGEST_KEY} characters, without the character U+001E. It got ${JSON.stringify(key)?.slice(0, 80)}.`
  throw new ConfigurationError({ message })
}

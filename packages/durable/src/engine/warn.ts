import { watch } from '@modelrun/kit'

/** Warns as Node does; on the console where there is no Node, such as in a Durable Object. */
export function warn(message: string): void {
  if (typeof globalThis.process?.emitWarning === 'function') process.emitWarning(message)
  else console.warn(message)
}

/** Returns a callback of the user that neither throws nor rejects: what it reports goes on without it. */
export function guarded<Given>(name: string, callback: (given: Given) => unknown): (given: Given) => void {
  const fail = (error: unknown) => warn(`The callback \`${name}\` of @modelrun/durable failed: ${String(error)}`)
  return (given) => watch(() => callback(given), fail)
}

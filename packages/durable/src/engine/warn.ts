/** Warns as Node does; on the console where there is no Node, such as in a Durable Object. */
export function warn(message: string): void {
  if (typeof globalThis.process?.emitWarning === 'function') process.emitWarning(message)
  else console.warn(message)
}

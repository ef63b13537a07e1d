/** The error that work rejects with. Fails when it is of another class, or when there is none. */
export async function caught<E>(work: PromiseLike<unknown>, type: abstract new (...fields: never[]) => E): Promise<E> {
  let value: unknown
  try {
    value = await work
  } catch (error) {
    if (error instanceof type) return error
    throw error
  }
  throw new Error(`Expected ${type.name}, got the value ${JSON.stringify(value)}.`)
}

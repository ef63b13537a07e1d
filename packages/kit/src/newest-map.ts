/** A map of the newest entries: one more than `most`, and the oldest goes. An entry that is set again is the newest. */
export class NewestMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const oldest = this.keys().next()
    if (this.size > this.#most && !oldest.done) this.delete(oldest.value)
    return this
  }
}

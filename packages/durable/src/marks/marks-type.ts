/** Marks in a database: which effects are there already. One row for each key, `id` and `marked_at`. */
export interface Marks<Client> {
  /** Creates the table. Safe to repeat, and from many processes at once. Outside of transactions. */
  setup(client: Client): Promise<void>
  /**
   * Marks a key. Call it first in the transaction that writes the effect.
   *
   * While another transaction has marked the key and is open, it waits for that one: when it commits, this is `false`;
   * when it rolls back, its mark is gone and this is `true`.
   *
   * @param transaction the client of the open transaction
   * @param key what has its effect once, such as `email:` and the id of a job. Up to 2,048 bytes; compared byte by byte.
   * @returns `true` for the first transaction of this key; `false` when its effect is there already
   * @throws ConfigurationError when the key is wrong, the table is missing, or there is no transaction, as far as the
   * client shows it
   */
  mark(transaction: Client, key: string): Promise<boolean>
  /**
   * Removes the marks that are older, by the clock of the database. A handler that runs again afterwards has its effect
   * again: keep marks for longer than their tasks can come again.
   */
  clean(client: Client, olderThanMs: number): Promise<void>
}

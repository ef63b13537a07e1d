/** Marks in a database: one row for each effect that was made, with `id` and `marked_at`. */
export interface Marks<Client> {
  /** Creates the table. Safe to repeat, and from many processes at once. Outside of transactions. */
  setup(client: Client): Promise<void>
  /**
   * Marks a key. Call it first in the transaction that writes the effect.
   *
   * Waits while another open transaction has marked the key. Returns `false` when that transaction commits, and `true` when it
   * rolls back.
   *
   * @param transaction the client of the open transaction
   * @param key name of the effect, such as `email:` and the id of a job. Up to 2,048 bytes; compared byte by byte
   * @returns `true` for the first transaction of this key; `false` when the effect exists already
   * @throws ConfigurationError when the key is wrong, the table is missing, or the client is not in a transaction (as far as
   * this can be checked)
   */
  mark(transaction: Client, key: string): Promise<boolean>
  /**
   * Removes marks that are older, by the clock of the database. A handler that runs again afterwards makes its effect again:
   * store marks for longer than their tasks can run again.
   */
  clean(client: Client, olderThanMs: number): Promise<void>
}

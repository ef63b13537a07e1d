import type { InboxOptions } from '../../inbox-options.ts'

/**
 * Something that a handler does outside of its process. The process can die, stall or fail just before and just after
 * it; what lies between two steps is not interrupted.
 */
export type Step = <T>(name: string, run: () => T | PromiseLike<T>) => Promise<T>

/** A database transaction of the simulation. */
export interface SimulatedTransaction {
  /** Notes a change. All of them are made at the end of the transaction, or none when it is rolled back. */
  write(change: () => void): void
  /**
   * Takes a mark, for effects once: true when no committed transaction has it, false otherwise. The mark is kept when
   * this transaction commits; two open transactions that take the same mark cannot both commit.
   */
  once(mark: string): boolean
}

/** Runs work in a transaction. Its end, the commit, is a step of this name. */
export type Transaction = <T>(name: string, work: (tx: SimulatedTransaction) => T | PromiseLike<T>) => Promise<T>

/** How the handlers of one process reach what is outside of it. */
export interface ProcessTools {
  /** Does something outside of the process, under a name. */
  step: Step
  /** Runs work in a transaction, under a name. */
  transaction: Transaction
}

/** The handlers under test. */
export type CrashHandlers = Pick<InboxOptions, 'onSucceeded' | 'onFailed' | 'onUnknown'>

/** What outlives processes (fakes of databases, mailers, queues), and how a process is started there. */
export interface CrashSetup {
  /** Creates the handlers of one process: what they keep in memory ends with it. */
  handlers(tools: ProcessTools): CrashHandlers
  /**
   * What the outside shows in the end: rows, files, mails. It is compared with that of an undisturbed run, as JSON with
   * maps and sets; the order of a list counts.
   */
  effects(): unknown
}

import type { InboxOptions } from '../../inbox-options.ts'

/**
 * An effect of a handler outside of its process. The process can die, stall or fail just before and just after a step. Code
 * between two steps is not interrupted.
 */
export type Step = <T>(name: string, run: () => T | PromiseLike<T>) => Promise<T>

/** A database transaction of the simulation. */
export interface SimulatedTransaction {
  /** Adds a change. All changes are made when the transaction commits, and none when it is rolled back. */
  write(change: () => void): void
  /**
   * Inserts a mark, for effects that count once. Returns true when no committed transaction has inserted it, false otherwise.
   * The mark is stored when this transaction commits. Two open transactions with the same mark cannot both commit.
   */
  once(mark: string): boolean
}

/** Runs work in a transaction. Its commit is a step of this name. */
export type Transaction = <T>(name: string, work: (tx: SimulatedTransaction) => T | PromiseLike<T>) => Promise<T>

/** How the handlers of one process have effects outside of it. */
export interface ProcessTools {
  /** Runs a step, under a name. */
  step: Step
  /** Runs work in a transaction, under a name. */
  transaction: Transaction
}

/** The handlers under test. */
export type CrashHandlers = Pick<InboxOptions, 'onSucceeded' | 'onFailed' | 'onUnknown'>

/** The fakes of databases, mailers and queues, which outlive processes, and how a process starts. */
export interface CrashSetup {
  /** Creates the handlers of one process. Their variables are lost with the process. */
  handlers(tools: ProcessTools): CrashHandlers
  /**
   * Returns the effects at the end: rows, files, mails. They are compared with those of an undisturbed run, as JSON with maps
   * and sets. The order of a list counts.
   */
  effects(): unknown
}

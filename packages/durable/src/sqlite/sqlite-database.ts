import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { numberIn } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'

export type Row = Record<string, SQLOutputValue>
export type Values = Record<string, SQLInputValue>

export interface Database {
  exec(sql: string): void
  /** In a transaction. */
  rows(sql: string, values?: Values): Row[]
  /** Lets the event loop turn first, so that a loop of reads does not block it. */
  read(sql: string, values: Values): Promise<Row[]>
  /**
   * Runs work in a transaction. With `toDisk` its changes are on the disk when this resolves, so that they outlive a power
   * failure; without, they outlive the process. All work of one turn of the event loop shares one transaction. While another
   * process writes to the file, the transaction is repeated.
   */
  transaction<T>(options: { toDisk: boolean }, work: () => T): Promise<T>
  close(): void
}

/** How long one attempt waits for another process. This blocks the event loop. */
const TRY_MS = 20
/** How long opening waits for other processes that open the file. */
const OPEN_MS = 5_000
const LONGEST_PAUSE_MS = 100
/** The lowest byte of the codes of a busy file. The others say why: another process recovers it, or has changed it. */
const SQLITE_BUSY = 5
const SQLITE_FULL = 13

/**
 * @param onLost called when its path does not lead to the file any more
 * @throws ConfigurationError when this runtime has no `node:sqlite`, or the file cannot be opened
 */
export function openDatabase(path: string, busyTimeoutMs: number, onLost = () => {}): Database {
  const database = open(path)
  const checkFiles = createFileCheck(path, onLost)
  const statements = new Map<string, StatementSync>()
  let isToDisk: boolean | undefined
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? prepareStatement(database, sql)
    statements.set(sql, statement)
    return statement
  }
  const inGroup = createWrites(busyTimeoutMs, (toDisk, work) => {
    if (toDisk !== isToDisk) database.exec(`PRAGMA synchronous = ${toDisk ? 'FULL' : 'NORMAL'}`)
    isToDisk = toDisk
    return inTransaction(database, () => {
      const result = work()
      checkFiles()
      return result
    })
  })
  const rows = (sql: string, values: Values = {}) => prepare(sql).all(values)
  return {
    exec: (sql) => database.exec(sql),
    rows,
    read: async (sql, values) => {
      await turn()
      return rows(sql, values)
    },
    transaction: ({ toDisk }, work) => inGroup(toDisk, work),
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function isBusy(error: unknown): boolean {
  return kindOf(error) === SQLITE_BUSY
}

function kindOf(error: unknown): number {
  return (numberIn(error, 'errcode') ?? 0) & 0xff
}

/** Says what a full disk means, in place of "database or disk is full". */
function explained(error: unknown): unknown {
  if (kindOf(error) !== SQLITE_FULL) return error
  const message =
    'The disk of the SQLite file is full. What was stored is not lost, and this change was not made. Make space: workers then continue by themselves, and other calls are safe to repeat.'
  return new Error(message, { cause: error })
}

function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  // IMMEDIATE locks the file before the first read, so that no other process writes between reads and writes.
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw explained(error)
  }
}

function open(path: string): DatabaseSync {
  const sqlite = globalThis.process?.getBuiltinModule?.('node:sqlite')
  if (sqlite === undefined) {
    const message = 'createSqliteEngine needs `node:sqlite`. Use Node 22.13 or newer, or another engine.'
    throw new ConfigurationError({ message })
  }
  try {
    createPrivate(path)
    const database = new sqlite.DatabaseSync(path, { timeout: OPEN_MS })
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = ${TRY_MS}`)
    return database
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `createSqliteEngine cannot open ${JSON.stringify(path)}: ${reason}. Its folder must exist and be writable.`
    throw new ConfigurationError({ message, cause })
  }
}

/** Creates a missing file, which only its owner can read. SQLite gives the same mode to the files beside it. */
function createPrivate(path: string): void {
  if (path === ':memory:') return
  const { closeSync, existsSync, openSync } = process.getBuiltinModule('node:fs')
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
}

/**
 * Returns a function that throws when the path does not lead to the open files any more: what is written then is lost for the
 * next process, which would send runs again. The locks of SQLite belong to the process: another library of SQLite, or `fs`, that
 * closes the file in this process drops them, and then another process may delete the `-wal`. `stat` opens nothing.
 */
function createFileCheck(path: string, onLost: () => void): () => void {
  if (path === ':memory:') return () => {}
  const { realpathSync, statSync } = process.getBuiltinModule('node:fs')
  const file = realpathSync(path)
  const idOf = (name: string) => {
    const found = statSync(name, { bigint: true, throwIfNoEntry: false })
    return found && `${found.dev} ${found.ino}`
  }
  const opened: Record<string, string | undefined> = { [file]: idOf(file), [`${file}-wal`]: undefined }
  return () => {
    for (const [name, before] of Object.entries(opened)) {
      const now = idOf(name)
      opened[name] = before ?? now
      if (before === undefined || before === now) continue
      onLost()
      throw replaced(name)
    }
  }
}

function replaced(file: string): ConfigurationError {
  const message = `The file ${file} of the SQLite engine was deleted or replaced, or another SQLite library or \`fs\` has closed it in this process, which drops the locks of the engine. Nothing is stored or sent any more: stop all processes of this file, and start them again.`
  return new ConfigurationError({ message })
}

function prepareStatement(database: DatabaseSync, sql: string): StatementSync {
  try {
    return database.prepare(sql)
  } catch (cause) {
    if (!String(cause).includes('no such table')) throw cause
    const message = 'The SQLite engine has no tables yet. Call `await engine.setup()` once first.'
    throw new ConfigurationError({ message, cause })
  }
}

interface WaitingWork {
  toDisk: boolean
  giveUpAt: number
  /** Runs the work. Returns a function to call after the commit. */
  run(): () => void
  reject(error: unknown): void
}

export type Write = <T>(toDisk: boolean, work: () => T) => T

/**
 * Writes all work of one turn of the event loop in one transaction: one wait for the disk instead of many. A transaction that
 * finds the file busy is repeated without blocking the event loop in between, and what comes meanwhile waits for it.
 */
export function createWrites(busyTimeoutMs: number, write: Write) {
  const waiting: WaitingWork[] = []
  let isWriting = false

  async function writeAll(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) {
      await turn()
      await writeGroup(waiting.splice(0), write)
    }
    isWriting = false
  }

  return <T>(toDisk: boolean, work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const run = () => {
        const result = work()
        return () => resolve(result)
      }
      waiting.push({ toDisk, giveUpAt: performance.now() + busyTimeoutMs, run, reject })
      if (!isWriting) void writeAll()
    })
}

async function writeGroup(group: readonly WaitingWork[], write: Write): Promise<void> {
  const error = await untilFree(group, write)
  if (error === undefined) return
  // Each in a transaction of its own, so that work that fails does not affect other work.
  if (group.length > 1 && !isBusy(error)) for (const one of group) await writeGroup([one], write)
  else for (const { reject } of group) reject(error)
}

/** @returns why nothing was written; undefined when all was */
async function untilFree(group: readonly WaitingWork[], write: Write): Promise<unknown> {
  const toDisk = group.some((work) => work.toDisk)
  for (;;) {
    try {
      const settle = write(toDisk, () => group.map(({ run }) => run()))
      for (const one of settle) one()
      return undefined
    } catch (error) {
      const mayRepeat = isBusy(error) && group.some(({ giveUpAt }) => performance.now() <= giveUpAt)
      if (!mayRepeat) return error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE_MS))
    }
  }
}

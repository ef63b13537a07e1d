import type { RecordState } from './inbox-store.ts'
import type { StoredRecord } from './stored-record.ts'

/** The columns of a record in a database, or its fields in a hash. */
export const RECORD_COLUMNS = [
  'key',
  'state',
  'owner',
  'fence',
  'attempt',
  'polls',
  'created_at',
  'due_at',
  'ref',
  'context',
  'payload',
  'fingerprint',
  'last_error',
] as const

/** A row as a client of the database gives it: numbers may be texts or bigints, and what is missing null. */
export type Row = Readonly<Record<string, unknown>>

/**
 * Text as every database can keep it: the inside of a JSON string. Some have no NUL and no lone surrogates, and would
 * take two different keys for one.
 */
export function encodeText(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

export function decodeText(text: string): string {
  // The text is of encodeText.
  return JSON.parse(`"${text}"`) as string
}

export function readRecord(row: Row): StoredRecord {
  const optional = (column: string) => decoded(readText(row, column))
  return {
    key: decodeText(readText(row, 'key') ?? ''),
    state: readState(row),
    owner: optional('owner'),
    fence: readNumber(row, 'fence'),
    attempt: readNumber(row, 'attempt'),
    polls: readNumber(row, 'polls'),
    createdAt: readNumber(row, 'created_at'),
    dueAt: readNumber(row, 'due_at'),
    ref: optional('ref'),
    context: readText(row, 'context'),
    payload: readText(row, 'payload'),
    fingerprint: optional('fingerprint'),
    lastError: optional('last_error'),
  }
}

export function readNumber(row: Row, column: string): number {
  const value = row[column]
  const number = typeof value === 'string' || typeof value === 'bigint' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) throw unexpected(column, value)
  return number
}

export function readText(row: Row, column: string): string | undefined {
  const value = row[column] ?? undefined
  if (value !== undefined && typeof value !== 'string') throw unexpected(column, value)
  return value
}

function decoded(text: string | undefined): string | undefined {
  return text === undefined ? undefined : decodeText(text)
}

const STATES: readonly RecordState[] = ['expected', 'leased', 'retry', 'done', 'dead']

function readState(row: Row): RecordState {
  const state = STATES.find((known) => known === row.state)
  if (state === undefined) throw unexpected('state', row.state)
  return state
}

function unexpected(column: string, value: unknown): Error {
  return new Error(
    `The store of the inbox read ${typeof value} ${JSON.stringify(value) ?? ''} as \`${column}\` of a record. Its client must give values as they are in the database: turn off conversions of yours.`,
  )
}

// Reads the tables of `lab/bench/results`.
import { readFileSync } from 'node:fs'

export type Row = [name: string, ...cells: string[]]

/** The cells of the first table after a text, and the place of a column in it by its name. */
export function tableOf(
  result: string,
  start: string,
): { head: Row; rows: Row[]; indexOf: (column: string) => number } {
  const text = readFileSync(new URL(`../lab/bench/results/${result}.md`, import.meta.url), 'utf8')
  const from = text.indexOf(start)
  if (from === -1) throw new Error(`lab/bench/results/${result}.md has no "${start}".`)
  const [, table = ''] = /((?:^\|.*\n)+)/m.exec(text.slice(from)) ?? []
  // A line has at least one cell.
  const cellsOf = (line: string) => line.slice(2, -2).split(' | ') as Row
  const [head = '', , ...rows] = table.trim().split('\n')
  const names = cellsOf(head)
  const indexOf = (column: string) => {
    const index = names.indexOf(column)
    if (index === -1) throw new Error(`lab/bench/results/${result}.md has no column "${column}".`)
    return index
  }
  return { head: names, rows: rows.map(cellsOf), indexOf }
}

/** The last line of a result: its day, machine and versions. */
export function madeOn(result: string): string {
  const text = readFileSync(new URL(`../lab/bench/results/${result}.md`, import.meta.url), 'utf8')
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  if (!/^\d{4}-\d\d-\d\d, /.test(line)) throw new Error(`lab/bench/results/${result}.md does not end with its day.`)
  return line
}

export function numberOf(cell = ''): number {
  const value = Number.parseFloat(cell.replace(/[*,]/g, ''))
  if (Number.isNaN(value)) throw new Error(`"${cell}" is not a number.`)
  return value
}

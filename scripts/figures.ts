// The tables of figures in documents, made from `lab/bench/results`. Each stands between two comments with its name.
import { readFileSync } from 'node:fs'
import { madeOn, numberOf, type Row, tableOf } from './results.ts'

const PEERS = ['openai', 'anthropic', 'fal', 'replicate']

/** Each table by its name, for the documents that have it. */
const tables: Record<string, () => string[]> = {
  requests: () => {
    const of = columnOf('double-charge', '| client | call |', 'connection reset')
    return [`**modelrun sends ${of('modelrun')}**, ${PEERS.map((client) => `${client} ${of(client)}`).join(', ')}.`]
  },
  peers: () => [
    ...table(
      ['', 'modelrun', ...PEERS],
      [
        row('a body that stalls, past the time limit', PEERS, {
          of: columnOf('stall', '| client | stalled body', 'stalled body'),
          unit: 'ms',
        }),
        row('an abort between two polls', PEERS, {
          of: columnOf('abort', '| client | submitting', 'poll sleep'),
          unit: 'ms',
        }),
        row('client in a browser bundle, first load, gzip', PEERS, { of: firstLoad, unit: 'kB' }),
      ],
    ),
    '| responses checked for their shape | **yes** | no | no | no | no |',
    ...madeBy('stall', 'abort', 'size'),
  ],
  clients: () => {
    const others = ['openai', 'anthropic', 'replicate', 'fal', 'ky']
    const line = (name: string, goal: string, of: Column) => {
      const [label, own, ...rest] = row(name, others, { of })
      return [label, own, goal, ...rest] as Row
    }
    const charges = (column: string) => columnOf('double-charge', '| client | call |', column)
    const aborts = (column: string) => columnOf('abort', '| client | submitting', column)
    const stalls = (column: string) => columnOf('stall', '| client | stalled body', column)
    const cpu = (heading: string) => columnOf('cpu', heading, 'to fetch')
    return table(
      ['measurement', 'modelrun', 'goal', ...others],
      [
        line('POSTs for one paid call, connection reset', '1', charges('connection reset')),
        line('POSTs for one paid call, HTTP 500', '1', charges('HTTP 500')),
        line('abort while submitting, ms', '20', aborts('submitting')),
        line('abort in backoff, ms', '20', aborts('backoff')),
        line('abort between polls 2 s apart, ms', '20', aborts('poll sleep')),
        line('stalled body, ms past the limit', '100', stalls('stalled body')),
        line('stalled poll, ms past the limit', '100', stalls('stalled poll')),
        line('browser bundle of the client, first load, kB gzip', '40', firstLoad),
        line('CPU per call, 50 in flight, ratio to fetch', '1.70', cpu('## 50 in flight')),
        line('CPU per call, one after another, ratio to fetch', '', cpu('## one after another')),
      ],
    )
  },
  waits: () => {
    const { rows, indexOf } = tableOf('waits', '| what | bound |')
    const columns = ['modelrun', 'bound', 'replicate', 'fal'].map(indexOf)
    const shown = rows.map((cells): Row => [cells[0], ...columns.map((index) => cells[index] ?? '')])
    return table(['measurement', 'modelrun', 'goal', 'replicate', 'fal'], shown)
  },
  server: () => {
    const { rows, indexOf } = tableOf('reference-server', '| what | bound |')
    const columns = ['bound', 'measured', 'met'].map(indexOf)
    const shown = rows.map((cells): Row => [cells[0], ...columns.map((index) => cells[index] ?? '')])
    return table(['measurement', 'goal', 'measured', 'met'], shown)
  },
  /** The first rows have the same suffix, which goes into the heading. */
  providers: () => {
    const { head, rows } = tableOf('providers', '| fault |')
    const after = ', after the run was accepted'
    const first = rows.slice(0, 3).map(([fault, ...cells]): Row => [fault.replace(after, ''), ...cells])
    return [...table([`fault${after}`, ...head.slice(1)], first), ...madeBy('providers')]
  },
  'provider-faults': () => {
    const { head, rows } = tableOf('providers', '| fault |')
    return [...table(head, rows), ...madeBy('providers')]
  },
  'batch-storage': storage,
  'batch-sqlite': () => growth('sqlite', { first: ['add', 'submit'], after: ['progress'] }),
  'batch-redis': () => growth('redis', { first: ['add CPU', 'submit CPU'], after: ['progress', 'memory'] }),
  'batch-postgres': () => growth('postgres', { first: ['add CPU', 'submit CPU'], after: ['memory'] }),
}

/** A document with its tables as the last results have them. */
export function withFigures(text: string): string {
  return text.replace(/(?<=<!-- (?<name>[\w-]+): start -->\n).*?(?=<!-- \k<name>: end -->)/gs, (whole, name) => {
    const lines = tables[name]?.()
    return lines ? `${lines.join('\n')}\n` : whole
  })
}

/** The documents that have such tables. */
export const figures = [
  'README.md',
  'packages/ai-sdk-provider/README.md',
  'lab/bench/README.md',
  'docs/guides/durable-sizing.md',
]

export function readDocument(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

/** What stands below a table: the day, the versions, and the command that makes its figures again. */
function madeBy(...results: [string, ...string[]]): string[] {
  return ['', `${madeOn(results[0])} \`npm run bench -- ${results.join(' ')}\``]
}

type Column = (client: string) => string

/** The cells of one column of a result, by client; empty where the client has none. */
function columnOf(result: string, start: string, column: string): Column {
  const { rows, indexOf } = tableOf(result, start)
  const index = indexOf(column)
  return (client) => {
    const cell = rows.find(([name]) => name === client)?.[index] ?? ''
    if (cell === '–') return ''
    if (/^hangs/.test(cell)) return 'hangs'
    return /^had ended/.test(cell) ? 'no backoff' : cell.replace(/ .*/, '').replace('×', '')
  }
}

/** In kB, of what a page loads at first. */
const firstLoad: Column = (client) => {
  const names: Record<string, string> = {
    modelrun: '**modelrun**, client',
    openai: 'openai, client',
    anthropic: '@anthropic-ai/sdk, client',
    replicate: 'replicate, client',
    fal: '@fal-ai/client, client',
    ky: 'ky',
  }
  const { rows, indexOf } = tableOf('size', '| import | minified |')
  const index = indexOf('first load when split, gzip')
  const bytes = numberOf(rows.find(([name]) => name === names[client])?.[index])
  return (bytes / 1_000).toFixed(1)
}

function row(name: string, clients: readonly string[], { of, unit = '' }: { of: Column; unit?: string }): Row {
  const shown = (client: string) =>
    unit === '' || !/^\d/.test(of(client)) ? rounded(of(client)) : withUnit(of(client), unit)
  return [name, `**${shown('modelrun')}**`, ...clients.map(shown)]
}

function withUnit(value: string, unit: string): string {
  const number = numberOf(value)
  return unit === 'ms' && number >= 1_000 ? `${(number / 1_000).toFixed(1)} s` : `${Math.round(number)} ${unit}`
}

/** Milliseconds lose their decimals; ratios and sizes keep them. */
function rounded(value: string): string {
  const number = Number(value.replace(/,/g, ''))
  return value === '' || Number.isNaN(number) || number < 3
    ? value
    : number.toLocaleString('en', { maximumFractionDigits: 1 })
}

interface Shown {
  /** Of the first and the last thousand keys, in µs. */
  first: readonly Part[]
  after: readonly Part[]
}

type Part = keyof typeof PARTS

const ADD = { head: 'an add', column: 'add, µs: first, last' }
const SUBMIT = { head: 'a submit', column: 'submit, µs: first, last' }
const PARTS = {
  add: ADD,
  submit: SUBMIT,
  'add CPU': ADD,
  'submit CPU': SUBMIT,
  progress: { head: '`progress()`', column: 'progress(), ms' },
  memory: { head: 'memory of a process', column: 'peak memory of a process, MB: add, work, read' },
}

const STORES: Record<string, string> = {
  sqlite: 'SQLite, on the disk',
  postgres: 'Postgres, on the disk with its indexes',
  redis: 'Redis, in memory',
}

/** What the batches with 10,000 keys store, each with its result. */
function storage(): string[] {
  const { rows, indexOf } = tableOf('durable-growth', '| store | processes |')
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
  const lines = Object.entries(STORES).map(([store, shown]): Row => {
    const cells = rows.find((row) => row[0] === store && row[indexOf('keys')] === '10,000')
    if (cells === undefined)
      throw new Error(`lab/bench/results/durable-growth.md has no row of ${store} with 10,000 keys.`)
    const bytes = numberOf(cells[indexOf('bytes a key')])
    return [shown, bytes.toLocaleString('en'), gigabytes(bytes * 1e6), gigabytes(bytes * 7e5)]
  })
  return table(['engine', 'bytes a key', 'a million keys', '100,000 keys a day, stored for 7 days'], lines)
}

function growth(store: string, { first, after }: Shown): string[] {
  const { rows, indexOf } = tableOf('durable-growth', '| store | processes |')
  const ofStore = rows.filter(([name]) => name === store)
  if (ofStore.length === 0) throw new Error(`lab/bench/results/durable-growth.md has no row of ${store}.`)
  const lines = ofStore.map((cells): Row => {
    const of = (part: Part) => cells[indexOf(PARTS[part].column)] ?? ''
    return [
      cells[indexOf('keys')] ?? '',
      ...first.map((part) => range(of(part), part.endsWith('CPU'))),
      ...after.map((part) => last(of(part), part)),
    ]
  })
  return table(['keys in the batch', ...[...first, ...after].map((part) => PARTS[part].head)], lines)
}

/** `37, 48 (47, 40)`: first and last, in brackets the processor's time. */
function range(cell: string, isProcessor: boolean): string {
  const text = (isProcessor && /\((.*)\)/.exec(cell)?.[1]) || cell.replace(/ \(.*/, '')
  const [low = 0, high = 0] = text
    .split(', ')
    .map(numberOf)
    .toSorted((a, b) => a - b)
  const [from, to] = [low, high].map((value) => value.toLocaleString('en'))
  return `${from === to ? from : `${from} to ${to}`} µs`
}

function last(cell: string, part: Part): string {
  return part === 'memory' ? `${Math.max(...cell.split(', ').map(numberOf))} MB` : `${cell} ms`
}

function table(head: readonly string[], rows: readonly Row[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].map((text) =>
    text.replaceAll('|  |', '| |').replaceAll('|  |', '| |'),
  )
}

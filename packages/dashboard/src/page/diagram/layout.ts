import type { DeliveryExchange, Exchange, JobStatus, Life, RequestExchange, StateExchange } from '../data/wire.ts'
import { formatDuration, formatExact } from '../text/format.ts'
import { foldPolls } from './fold-polls.ts'

/** Where a lane is, in pixels from the left. */
export interface Lanes {
  client: number
  service: number
  receiver: number
}

interface MarkBase {
  y: number
  /** Which of the lives it is in. */
  column: number
  /** When it happened, in milliseconds from the start of its life. */
  afterMs: number
}

/** Something to draw. */
export type Mark =
  | (MarkBase & { kind: 'send'; exchange: RequestExchange | DeliveryExchange; isWhole: boolean; folded: number })
  | (MarkBase & { kind: 'respond'; exchange: RequestExchange | DeliveryExchange })
  | (MarkBase & { kind: 'state'; exchange: StateExchange })

/** A stretch of the service's lane. */
interface Band {
  column: number
  from: number
  to: number
  status: JobStatus | 'idle'
}

/** A stretch of a lane that waits for a response. */
interface Wait {
  column: number
  lane: 'service' | 'receiver'
  from: number
  to: number
}

/** A time that is written on the axis, or, between two of them, how much time passes. */
interface Tick {
  y: number
  text: string
  /** The time since the one before, where it is short. */
  since?: string
  isGap: boolean
}

export interface Layout {
  marks: Mark[]
  bands: Band[]
  waits: Wait[]
  ticks: Tick[]
  height: number
}

/** Pixels: the names of the lanes, a request or a response, both together, a state, and the longest wait. */
const TOP = 66
const ROW = 40
const WHOLE_ROW = 46
const STATE_ROW = 36
const LARGEST_GAP = 56

/** A shorter time between two moments is written out: their order is what matters. */
const SHORT_MS = 1_000

function heightOf(mark: Mark | undefined): number {
  if (mark?.kind === 'state') return STATE_ROW
  return mark?.kind === 'send' && mark.isWhole && !isControl(mark.exchange) ? WHOLE_ROW : ROW
}

interface Moment {
  column: number
  /** From the start of its life. */
  atMs: number
  place: number
  exchange: Exchange
  part: 'start' | 'end'
  folded: number
}

/** The first thing that happened: the run was sent before its job was made. */
export function startOf({ job, exchanges }: Pick<Life, 'job' | 'exchanges'>): number {
  return Math.min(job.created_at_ms, ...exchanges.map(({ at_ms }) => at_ms))
}

/** The same exchange, also after it was loaded again. */
export function isSame(one: Exchange, other: Exchange): boolean {
  return one.kind === other.kind && one.place === other.place && one.at_ms === other.at_ms
}

/** Places the lives of jobs beside each other, on one axis: time goes down, long waits are shortened. */
export function layoutLives(lives: readonly Life[], isFolded: boolean): Layout {
  const moments = lives
    .flatMap((life, column) => momentsOf(life, column, isFolded))
    .toSorted((one, other) => one.atMs - other.atMs || one.column - other.column || one.place - other.place)
  const layout: Layout = { marks: [], bands: [], waits: [], ticks: [], height: 0 }
  const starts = new Map<Exchange, number>()
  let y = TOP
  let lastMs: number | undefined
  for (const [index, moment] of moments.entries()) {
    if (isWholeEnd(moment, moments[index - 1])) continue
    y += gapBetween(layout, { y, lastMs, atMs: moment.atMs })
    lastMs = moment.atMs
    place(layout, { moment, next: moments[index + 1], y, starts })
    y += heightOf(layout.marks.at(-1))
  }
  const unfinished = lives.filter(({ job }) => job.ended_at_ms === undefined)
  if (unfinished.length > 0) y += 26
  layout.bands = lives.flatMap((_, column) => bandsOf(layout.marks, column, y))
  const nowMs = Math.max(...unfinished.map((life) => life.now_ms - startOf(life)))
  if (unfinished.length > 0) layout.ticks.push({ y: y - 8, text: formatExact(nowMs), isGap: false })
  layout.height = y + 14
  return layout
}

function momentsOf(life: Life, column: number, isFolded: boolean): Moment[] {
  const { exchanges } = life
  const startMs = startOf(life)
  const shown = isFolded ? foldPolls(exchanges) : exchanges.map((exchange) => ({ exchange, folded: 0 }))
  return shown.flatMap(({ exchange, folded }): Moment[] => {
    const { at_ms, place } = exchange
    const start: Moment = { atMs: at_ms - startMs, column, place, exchange, part: 'start', folded }
    if (exchange.kind === 'job' || isControl(exchange)) return [start]
    return [start, { ...start, atMs: start.atMs + exchange.duration_ms, place: exchange.end_place, part: 'end' }]
  })
}

/** A call of the control API is one mark: only its start is of interest. */
export function isControl(exchange: Exchange): boolean {
  return exchange.kind === 'request' && exchange.route === 'control'
}

/** A response that came at once is drawn with its request. */
function isWholeEnd(moment: Moment, before: Moment | undefined): boolean {
  return moment.part === 'end' && before?.exchange === moment.exchange && before.atMs === moment.atMs
}

interface Placed {
  moment: Moment
  next: Moment | undefined
  y: number
  starts: Map<Exchange, number>
}

function place(layout: Layout, { moment, next, y, starts }: Placed): void {
  const { exchange, part, folded, column, atMs: afterMs } = moment
  const base = { y, column, afterMs }
  if (exchange.kind === 'job') {
    layout.marks.push({ ...base, kind: 'state', exchange })
  } else if (part === 'start') {
    const isWhole = isControl(exchange) || (next !== undefined && isWholeEnd(next, moment))
    starts.set(exchange, y)
    layout.marks.push({ ...base, kind: 'send', exchange, isWhole, folded })
  } else {
    layout.marks.push({ ...base, kind: 'respond', exchange })
    const from = starts.get(exchange) ?? y
    layout.waits.push({ column, lane: exchange.kind === 'request' ? 'service' : 'receiver', from, to: y })
  }
}

/** Room for the time that passes, and what the axis says about it. */
function gapBetween(
  layout: Layout,
  { y, lastMs, atMs }: { y: number; lastMs: number | undefined; atMs: number },
): number {
  if (lastMs === atMs) return 0
  const passedMs = lastMs === undefined ? 0 : atMs - lastMs
  const gap = passedMs <= 0 ? 0 : Math.min(LARGEST_GAP, Math.round(6 * Math.log2(1 + passedMs / 120)))
  if (gap >= 26) layout.ticks.push({ y: y + gap / 2 - 18, text: formatDuration(passedMs), isGap: true })
  const isShort = passedMs > 0 && passedMs < SHORT_MS
  layout.ticks.push({
    y: y + gap,
    text: formatExact(atMs),
    ...(isShort ? { since: `+${formatExact(passedMs)}` } : {}),
    isGap: false,
  })
  return gap
}

function bandsOf(marks: readonly Mark[], column: number, end: number): Band[] {
  const states = marks.filter((mark) => mark.kind === 'state').filter((mark) => mark.column === column)
  return states.map(({ y, exchange }, index) => ({
    column,
    from: y,
    to: states[index + 1]?.y ?? end,
    status: exchange.to,
  }))
}

import type { DeliveryExchange, Exchange, JobStatus, Life, RequestExchange, StateExchange } from '../data/wire.ts'
import { formatDuration } from '../text/format.ts'
import { foldPolls } from './fold-polls.ts'

/** Where a lane is, in pixels from the left. */
export interface Lanes {
  client: number
  service: number
  receiver: number
}

interface MarkBase {
  y: number
  /** When it happened, in milliseconds from the creation of the job. */
  afterMs: number
}

/** Something to draw. */
export type Mark =
  | (MarkBase & { kind: 'send'; exchange: RequestExchange | DeliveryExchange; isWhole: boolean; folded: number })
  | (MarkBase & { kind: 'respond'; exchange: RequestExchange | DeliveryExchange })
  | (MarkBase & { kind: 'state'; exchange: StateExchange })

/** A stretch of the service's lane. */
interface Band {
  from: number
  to: number
  status: JobStatus | 'idle'
}

/** A stretch of a lane that waits for a response. */
interface Wait {
  lane: 'service' | 'receiver'
  from: number
  to: number
}

/** A time that is written on the axis, or, between two of them, how much time passes. */
interface Tick {
  y: number
  text: string
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

function heightOf(mark: Mark | undefined): number {
  if (mark?.kind === 'state') return STATE_ROW
  return mark?.kind === 'send' && mark.isWhole && !isControl(mark.exchange) ? WHOLE_ROW : ROW
}

interface Moment {
  atMs: number
  place: number
  exchange: Exchange
  part: 'start' | 'end'
  folded: number
}

/** Places the life of a job: time goes down, long waits are shortened. */
export function layoutLife({ job, exchanges, now_ms }: Life, isFolded: boolean): Layout {
  const origin = job.created_at_ms
  const moments = momentsOf(exchanges, isFolded)
  const layout: Layout = { marks: [], bands: [], waits: [], ticks: [], height: 0 }
  const starts = new Map<Exchange, number>()
  let y = TOP
  let lastMs: number | undefined
  for (const [index, moment] of moments.entries()) {
    if (isWholeEnd(moment, moments[index - 1])) continue
    y += gapBetween(layout, { y, lastMs, atMs: moment.atMs, origin })
    lastMs = moment.atMs
    place(layout, { moment, next: moments[index + 1], y, origin, starts })
    y += heightOf(layout.marks.at(-1))
  }
  const isOver = job.ended_at_ms !== undefined
  if (!isOver) y += 26
  layout.bands = bandsOf(layout.marks, y)
  if (!isOver) layout.ticks.push({ y: y - 8, text: `+${formatDuration(now_ms - origin)}`, isGap: false })
  layout.height = y + 14
  return layout
}

function momentsOf(exchanges: readonly Exchange[], isFolded: boolean): Moment[] {
  const shown = isFolded ? foldPolls(exchanges) : exchanges.map((exchange) => ({ exchange, folded: 0 }))
  return shown
    .flatMap(({ exchange, folded }): Moment[] => {
      const { at_ms: atMs, place } = exchange
      const start: Moment = { atMs, place, exchange, part: 'start', folded }
      if (exchange.kind === 'job' || isControl(exchange)) return [start]
      return [start, { ...start, atMs: atMs + exchange.duration_ms, place: exchange.end_place, part: 'end' }]
    })
    .toSorted((one, other) => one.atMs - other.atMs || one.place - other.place)
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
  origin: number
  starts: Map<Exchange, number>
}

function place(layout: Layout, { moment, next, y, origin, starts }: Placed): void {
  const { exchange, part, folded } = moment
  const base = { y, afterMs: moment.atMs - origin }
  if (exchange.kind === 'job') {
    layout.marks.push({ ...base, kind: 'state', exchange })
  } else if (part === 'start') {
    const isWhole = isControl(exchange) || (next !== undefined && isWholeEnd(next, moment))
    starts.set(exchange, y)
    layout.marks.push({ ...base, kind: 'send', exchange, isWhole, folded })
  } else {
    layout.marks.push({ ...base, kind: 'respond', exchange })
    const from = starts.get(exchange) ?? y
    layout.waits.push({ lane: exchange.kind === 'request' ? 'service' : 'receiver', from, to: y })
  }
}

/** Room for the time that passes, and what the axis says about it. */
function gapBetween(
  layout: Layout,
  { y, lastMs, atMs, origin }: { y: number; lastMs: number | undefined; atMs: number; origin: number },
): number {
  if (lastMs === atMs) return 0
  const passedMs = lastMs === undefined ? 0 : atMs - lastMs
  const gap = passedMs <= 0 ? 0 : Math.min(LARGEST_GAP, Math.round(6 * Math.log2(1 + passedMs / 120)))
  if (gap >= 26) layout.ticks.push({ y: y + gap / 2 - 18, text: formatDuration(passedMs), isGap: true })
  layout.ticks.push({
    y: y + gap,
    text: `${atMs < origin ? '−' : '+'}${formatDuration(Math.abs(atMs - origin))}`,
    isGap: false,
  })
  return gap
}

function bandsOf(marks: readonly Mark[], end: number): Band[] {
  const states = marks.filter((mark) => mark.kind === 'state')
  return states.map(({ y, exchange }, index) => ({ from: y, to: states[index + 1]?.y ?? end, status: exchange.to }))
}

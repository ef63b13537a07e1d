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
  /** When it happened, in milliseconds from the start of its life. */
  afterMs: number
}

/** Something to draw. */
export type Mark =
  | (MarkBase & { kind: 'send'; exchange: RequestExchange | DeliveryExchange; isWhole: boolean; folded: number })
  | (MarkBase & { kind: 'respond'; exchange: RequestExchange | DeliveryExchange })
  | (MarkBase & { kind: 'state'; exchange: StateExchange })

/** A stretch of a lane: the job is in a state, or a response is waited for. */
interface Bar {
  lane: 'service' | 'receiver'
  kind: JobStatus | 'wait'
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
  bars: Bar[]
  ticks: Tick[]
  height: number
}

/** Pixels: the names of the lanes, a request or a response, both together, a state, and the longest wait. */
const TOP = 66
const ROW = 40
const WHOLE_ROW = 50
const STATE_ROW = 36
const LARGEST_GAP = 56

/** A shorter time between two moments is written out: their order is what matters. */
const SHORT_MS = 1_000

function heightOf(mark: Mark): number {
  if (mark.kind === 'state') return STATE_ROW
  return mark.kind === 'send' && mark.isWhole ? WHOLE_ROW : ROW
}

interface Moment {
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

/** Places the life of a job on an axis: time goes down, long waits are shortened. */
export function layoutLife(life: Life): Layout {
  const moments = momentsOf(life).toSorted((one, other) => one.atMs - other.atMs || one.place - other.place)
  const marks: Mark[] = []
  const ticks: Tick[] = []
  let y = TOP
  let lastMs: number | undefined
  for (const [index, moment] of moments.entries()) {
    if (isWholeEnd(moment, moments[index - 1])) continue
    const passedMs = moment.atMs - (lastMs ?? moment.atMs)
    const gap = passedMs <= 0 ? 0 : Math.min(LARGEST_GAP, Math.round(6 * Math.log2(1 + passedMs / 120)))
    if (gap >= 26) ticks.push({ y: y + gap / 2 - 18, text: formatDuration(passedMs), isGap: true })
    y += gap
    if (moment.atMs !== lastMs) ticks.push(timeTick(moment.atMs, passedMs, y))
    lastMs = moment.atMs
    const mark = markOf(moment, moments[index + 1], y)
    marks.push(mark)
    y += heightOf(mark)
  }
  if (life.job.ended_at_ms === undefined) {
    y += 26
    ticks.push({ y: y - 8, text: formatExact(life.now_ms - startOf(life)), isGap: false })
  }
  return { marks, bars: barsOf(marks, y), ticks, height: y + 14 }
}

function timeTick(atMs: number, passedMs: number, y: number): Tick {
  const isShort = passedMs > 0 && passedMs < SHORT_MS
  return { y, text: formatExact(atMs), ...(isShort && { since: `+${formatExact(passedMs)}` }), isGap: false }
}

function momentsOf(life: Life): Moment[] {
  const startMs = startOf(life)
  return foldPolls(life.exchanges).flatMap(({ exchange, folded }): Moment[] => {
    const { at_ms, place } = exchange
    const start: Moment = { atMs: at_ms - startMs, place, exchange, part: 'start', folded }
    if (exchange.kind === 'job') return [start]
    return [start, { ...start, atMs: start.atMs + exchange.duration_ms, place: exchange.end_place, part: 'end' }]
  })
}

/** A response that came at once is drawn with its request. */
function isWholeEnd(moment: Moment, before: Moment | undefined): boolean {
  return moment.part === 'end' && before?.exchange === moment.exchange && before.atMs === moment.atMs
}

function markOf(moment: Moment, next: Moment | undefined, y: number): Mark {
  const { exchange, part, folded, atMs: afterMs } = moment
  const base = { y, afterMs }
  if (exchange.kind === 'job') return { ...base, kind: 'state', exchange }
  if (part === 'end') return { ...base, kind: 'respond', exchange }
  const isWhole = next !== undefined && isWholeEnd(next, moment)
  return { ...base, kind: 'send', exchange, isWhole, folded }
}

function barsOf(marks: readonly Mark[], end: number): Bar[] {
  return marks.flatMap(({ y, kind, exchange }, index): Bar[] => {
    if (exchange.kind === 'job') {
      const next = marks.slice(index + 1).find((mark) => mark.kind === 'state')
      return [{ lane: 'service', kind: exchange.to, from: y, to: next?.y ?? end }]
    }
    if (kind !== 'respond') return []
    const from = marks.find((mark) => mark.exchange === exchange)?.y ?? y
    return [{ lane: exchange.kind === 'request' ? 'service' : 'receiver', kind: 'wait', from, to: y }]
  })
}

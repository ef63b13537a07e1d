import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Exchange, Life } from '../data/wire.ts'
import { receiverName } from '../text/format.ts'
import { spokenLabel } from './labels.ts'
import { isSame, type Lanes, type Layout, layoutLife, type Mark } from './layout.ts'
import { endsOf, Response, SendMark, StateMark } from './marks.tsx'

/** What a diagram shows. */
export interface DiagramProps {
  /** What `GET /_reference/jobs/{id}/exchanges` gives. */
  life: Life
  /** What is marked. */
  active?: Exchange | undefined
  /** Called with what the pointer or the keyboard is on. */
  onChoose?: ((exchange: Exchange) => void) | undefined
}

/** Narrower, nothing could be read. In pixels. */
const LEAST_WIDTH = 300

/** The life of a job: client, service and receiver, and what goes between them, on the axis of the server's time. */
export function Diagram({ life, active, onChoose }: DiagramProps) {
  const element = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(720)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => element.current && setRoom(element.current.clientWidth))
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  const width = Math.max(LEAST_WIDTH, room)
  const layout = layoutLife(life)
  const lanes = lanesFor(width)
  return (
    // What scrolls must be reached by the keyboard.
    <div class="diagram" ref={element} onKeyDown={moveFocus} tabIndex={width > room ? 0 : undefined}>
      <svg
        width={width}
        height={layout.height}
        viewBox={`0 0 ${width} ${layout.height}`}
        role="group"
        aria-label={`What happened to job ${life.job.job_id}`}
      >
        <Axis layout={layout} hasRoom={lanes.client > NARROW_AXIS} />
        <Background layout={layout} lanes={lanes} life={life} />
        {layout.marks.map((mark) => (
          <MarkGroup
            key={`${mark.kind} ${mark.exchange.kind} ${mark.exchange.place} ${mark.exchange.at_ms}`}
            mark={mark}
            lanes={lanes}
            isActive={active !== undefined && isSame(active, mark.exchange)}
            choose={() => onChoose?.(mark.exchange)}
          />
        ))}
      </svg>
    </div>
  )
}

/** Pixels for the times. */
const NARROW_AXIS = 84
const WIDE_AXIS = 138

function lanesFor(width: number): Lanes {
  const isNarrow = width < 560
  const client = isNarrow ? NARROW_AXIS : WIDE_AXIS
  const receiver = width - (isNarrow ? 40 : 84)
  return { client, service: (client + receiver) / 2, receiver }
}

function Axis({ layout, hasRoom }: { layout: Layout; hasRoom: boolean }) {
  return (
    <g aria-hidden="true">
      {layout.ticks.map(({ y, text, isGap, since }) => (
        <text key={`${y} ${text}`} class={isGap ? 'tick gap' : 'tick'} x={isGap ? 12 : 2} y={y + 4}>
          {isGap ? `⋮ ${text}` : text}
          {hasRoom && since !== undefined && (
            <tspan class="since" dx={6}>
              {since}
            </tspan>
          )}
        </text>
      ))}
    </g>
  )
}

const LANES = ['client', 'service', 'receiver'] as const

/** About the width of a letter below the name of a lane, in pixels. */
const DETAIL_LETTER = 6

function Background({ layout, lanes, life }: { layout: Layout; lanes: Lanes; life: Life }) {
  const { webhook_url, model_id } = life.job
  const room = Math.min(18, Math.floor((lanes.service - lanes.client - 6) / DETAIL_LETTER))
  const receiver = webhook_url === undefined ? 'no webhook' : receiverName(webhook_url)
  const details = { client: agentOf(life), service: model_id, receiver }
  return (
    <g aria-hidden="true">
      {LANES.map((name) => (
        <g
          key={name}
          class={`lane ${name} ${name === 'receiver' && webhook_url === undefined ? 'unused' : ''}`}
          transform={`translate(${lanes[name]})`}
        >
          <line y1={42} y2={layout.height} />
          <rect x={-37} y={2} width={74} height={24} rx={6} />
          <text class="name" y={18}>
            {name}
          </text>
          <text class="detail" y={39}>
            {details[name].length > room ? `${details[name].slice(0, room - 1)}…` : details[name]}
          </text>
        </g>
      ))}
      {layout.bars.map(({ lane, kind, from, to }) => (
        <rect
          key={`${lane} ${kind} ${from}`}
          class={`bar ${kind}`}
          x={lanes[lane] - (kind === 'wait' ? 7 : 4)}
          y={from}
          width={kind === 'wait' ? 14 : 8}
          height={Math.max(0, to - from)}
        />
      ))}
    </g>
  )
}

/** The program that sent the run, by its header. */
function agentOf({ exchanges }: Life): string {
  const run = exchanges.find((exchange) => exchange.kind === 'request' && exchange.route === 'runModel')
  const headers = run?.kind === 'request' ? (run.request_headers ?? []) : []
  const agent = headers.find(([name]) => name === 'user-agent')?.[1] ?? ''
  if (agent.startsWith('Mozilla/')) return 'browser'
  return agent.split(/[\s/(]/, 1)[0] ?? ''
}

interface MarkGroupProps {
  mark: Mark
  lanes: Lanes
  isActive: boolean
  choose: () => void
}

function MarkGroup({ mark, lanes, isActive, choose }: MarkGroupProps) {
  const { exchange, y } = mark
  const className = isActive ? 'mark active' : 'mark'
  const [left, right] = exchange.kind === 'job' ? [lanes.service - 64, lanes.service + 134] : endsOf(exchange, lanes)
  const height = mark.kind === 'send' && mark.isWhole ? 53 : 38
  return (
    <g
      class={className}
      role="button"
      tabIndex={0}
      aria-pressed={isActive}
      onMouseEnter={choose}
      onFocus={choose}
      onClick={choose}
    >
      <rect
        class="area"
        x={Math.min(left, right) + 4}
        y={y - 20}
        width={Math.abs(right - left) - 8}
        height={height}
        rx={8}
      />
      {/* For screen readers: what is drawn is shortened where there is little room. */}
      <text class="spoken">{spokenLabel(mark)}</text>
      <g aria-hidden="true">
        {mark.kind === 'send' && <SendMark mark={mark} lanes={lanes} />}
        {mark.kind === 'respond' && <Response exchange={mark.exchange} lanes={lanes} y={y} />}
        {mark.kind === 'state' && <StateMark mark={mark} lanes={lanes} />}
      </g>
    </g>
  )
}

/** The arrow keys go from mark to mark. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || !(event.currentTarget instanceof HTMLElement)) return
  const marks = [...event.currentTarget.querySelectorAll<SVGElement>('.mark')]
  const current = marks.indexOf(document.activeElement as SVGElement) // -1 for any other element
  const next = marks[current + step]
  if (current === -1 || next === undefined) return
  event.preventDefault()
  next.focus()
}

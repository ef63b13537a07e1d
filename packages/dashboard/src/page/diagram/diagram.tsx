import type { Signal } from '@preact/signals'
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Exchange, Life } from '../data/wire.ts'
import { receiverName } from '../text/format.ts'
import { spokenLabel } from './labels.ts'
import { isControl, type Lanes, type Layout, layoutLife, type Mark } from './layout.ts'
import { Response, SendMark, StateMark } from './marks.tsx'

interface DiagramProps {
  life: Life
  isFolded: boolean
  /** What the pointer or the keyboard is on. */
  active: Signal<Exchange | undefined>
  /** What happened later than so many milliseconds after the creation is faint. */
  untilMs: number
}

/** The life of a job: client, service and receiver, and what goes between them, on the axis of the server's time. */
export function Diagram({ life, isFolded, active, untilMs }: DiagramProps) {
  const element = useRef<HTMLDivElement>(null)
  const width = useSignal(720)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.max(300, Math.floor(entry?.contentRect.width ?? 720))
    })
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  const layout = layoutLife(life, isFolded)
  const lanes = lanesFor(width.value)
  return (
    <div class="diagram" ref={element} onKeyDown={moveFocus}>
      <svg
        width={width.value}
        height={layout.height}
        viewBox={`0 0 ${width.value} ${layout.height}`}
        role="group"
        aria-label={`What happened to job ${life.job.job_id}`}
      >
        <Background layout={layout} lanes={lanes} life={life} />
        {layout.marks.map((mark) => (
          <MarkGroup key={keyOf(mark)} mark={mark} lanes={lanes} active={active} isFuture={mark.afterMs > untilMs} />
        ))}
      </svg>
    </div>
  )
}

function lanesFor(width: number): Lanes {
  const isNarrow = width < 560
  const client = isNarrow ? 84 : 128
  const receiver = width - (isNarrow ? 40 : 84)
  return { client, service: (client + receiver) / 2, receiver }
}

function keyOf({ kind, exchange }: Mark): string {
  return `${kind} ${exchange.kind} ${exchange.place} ${exchange.at_ms}`
}

/** About the width of a letter below the name of a lane, in pixels. */
const DETAIL_LETTER = 6

function Background({ layout, lanes, life }: { layout: Layout; lanes: Lanes; life: Life }) {
  const { webhook_url, model_id } = life.job
  const room = Math.min(18, Math.floor((lanes.service - lanes.client - 6) / DETAIL_LETTER))
  const names = [
    { x: lanes.client, name: 'client', detail: agentOf(life) },
    { x: lanes.service, name: 'service', detail: model_id },
    { x: lanes.receiver, name: 'receiver', detail: receiverOf(webhook_url) },
  ]
  return (
    <g aria-hidden="true">
      {names.map(({ x, name, detail }) => (
        <g key={name} class={`lane ${name}${name === 'receiver' && webhook_url === undefined ? ' unused' : ''}`}>
          <line x1={x} x2={x} y1={42} y2={layout.height} />
          <rect x={x - 37} y={2} width={74} height={24} rx={6} />
          <text class="name" x={x} y={18} text-anchor="middle">
            {name}
          </text>
          <text class="detail" x={x} y={39} text-anchor="middle">
            {detail.length > room ? `${detail.slice(0, room - 1)}…` : detail}
          </text>
        </g>
      ))}
      {layout.bands.map(({ from, to, status }) => (
        <rect
          key={from}
          class={`band ${status}`}
          x={lanes.service - 4}
          y={from}
          width={8}
          height={Math.max(0, to - from)}
        />
      ))}
      {layout.waits.map(({ lane, from, to }) => (
        <rect key={`${lane} ${from}`} class="wait" x={lanes[lane] - 7} y={from} width={14} height={to - from} rx={3} />
      ))}
      {layout.ticks.map(({ y, text, isGap }) => (
        <text key={`${y} ${text}`} class={isGap ? 'tick gap' : 'tick'} x={isGap ? 12 : 2} y={y + 4}>
          {isGap ? `⋮ ${text}` : text}
        </text>
      ))}
    </g>
  )
}

function receiverOf(url: string | undefined): string {
  return url === undefined ? 'no webhook' : receiverName(url)
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
  active: Signal<Exchange | undefined>
  isFuture: boolean
}

function MarkGroup({ mark, lanes, active, isFuture }: MarkGroupProps) {
  const { exchange, y } = mark
  const choose = () => {
    active.value = exchange
  }
  const isActive = active.value !== undefined && isSame(active.value, exchange)
  const classes = { active: isActive, future: isFuture, control: isControl(exchange) }
  const className = ['mark', ...Object.entries(classes).flatMap(([name, isOn]) => (isOn ? [name] : []))].join(' ')
  const [left, right] = exchange.kind === 'delivery' ? [lanes.service, lanes.receiver] : [lanes.client, lanes.service]
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
      {exchange.kind === 'job' ? (
        <rect class="area" x={lanes.service - 60} y={y - 16} width={190} height={32} rx={8} />
      ) : (
        <rect
          class="area"
          x={left + 4}
          y={y - 21}
          width={right - left - 8}
          height={mark.kind === 'send' && mark.isWhole ? 53 : 38}
          rx={8}
        />
      )}
      {/* For screen readers: what is drawn is shortened where there is little room. */}
      <text class="spoken">{spokenLabel(mark)}</text>
      <g aria-hidden="true">
        {mark.kind === 'send' && (
          <SendMark exchange={mark.exchange} lanes={lanes} y={y} isWhole={mark.isWhole} folded={mark.folded} />
        )}
        {mark.kind === 'respond' && <Response exchange={mark.exchange} lanes={lanes} y={y} />}
        {mark.kind === 'state' && <StateMark exchange={mark.exchange} lanes={lanes} y={y} />}
      </g>
    </g>
  )
}

/** The same exchange, also after it was loaded again. */
export function isSame(one: Exchange, other: Exchange): boolean {
  return one.kind === other.kind && one.place === other.place && one.at_ms === other.at_ms
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

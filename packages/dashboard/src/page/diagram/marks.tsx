import type { DeliveryExchange, RequestExchange } from '../data/wire.ts'
import { creditLabel, isBad, responseLabel, sentLabel, shortSentLabel } from './labels.ts'
import type { Lanes, Mark } from './layout.ts'

/** About the width of a letter, in pixels, and of a bold one. */
const LETTER = 7
const WIDE_LETTER = 7.2

/** So much room is at least right of the receiver's lane, in pixels. */
const RIGHT_OF_RECEIVER = 40

/** A response that comes at once is so far below its request. */
const BACK = 13

interface ArrowProps {
  from: number
  to: number
  y: number
  label: string
  /** The same where there is little room. */
  short?: string
  /** Below the line instead of above it. */
  isBelow?: boolean
  className: string
  /** It ends on its way. */
  isLost?: boolean
}

/** A line from one lane to another, with what is said. */
function Arrow({ from, to, y, label, short = label, isBelow = false, className, isLost = false }: ArrowProps) {
  const way = Math.sign(to - from)
  const tip = isLost ? (from + to) / 2 : to - way * 5
  const fits = Math.floor((Math.abs(to - from) - 8) / LETTER)
  const wanted = label.length > fits ? short : label
  const text = wanted.length > fits ? `${wanted.slice(0, Math.max(1, fits - 1))}…` : wanted
  return (
    <g class={className}>
      <line x1={from + way * 5} x2={tip} y1={y} y2={y} />
      {isLost ? (
        <path class="tip" d={`M${tip - 4} ${y - 4}l8 8m0-8l-8 8`} />
      ) : (
        <path class="tip" d={`M${tip - way * 6} ${y - 4}L${tip} ${y}L${tip - way * 6} ${y + 4}`} />
      )}
      <text x={(from + to) / 2} y={isBelow ? y + 14 : y - 7}>
        {text}
      </text>
    </g>
  )
}

type Sent = RequestExchange | DeliveryExchange

/** The lanes between which an exchange goes. */
export function endsOf({ kind }: Sent, { client, service, receiver }: Lanes): [from: number, to: number] {
  return kind === 'request' ? [client, service] : [service, receiver]
}

interface MarkProps<Kind extends Mark['kind']> {
  mark: Extract<Mark, { kind: Kind }>
  lanes: Lanes
}

export function SendMark({ mark: { exchange, y, isWhole, folded }, lanes }: MarkProps<'send'>) {
  const [from, to] = endsOf(exchange, lanes)
  const [label, short] = [sentLabel(exchange, folded), shortSentLabel(exchange, folded)]
  return (
    <>
      <Arrow from={from} to={to} y={y} label={label} short={short} className="arrow" />
      {isWhole && <Response exchange={exchange} lanes={lanes} y={y + BACK} />}
      {exchange.kind === 'request' && exchange.fault && <Bolt x={to + 18} y={isWhole ? y + BACK / 2 : y} />}
    </>
  )
}

export function Response({ exchange, lanes, y }: { exchange: Sent; lanes: Lanes; y: number }) {
  const [to, from] = endsOf(exchange, lanes)
  const fault = exchange.kind === 'request' ? exchange.fault?.replace(/ \(.*/, '') : undefined
  const label = [responseLabel(exchange), fault].filter(Boolean).join(' · ')
  const className = `arrow back${isBad(exchange) ? ' bad' : ''}`
  const short = label.replace(/^\d+ (?=\w)/, '').replace('no response · ', '')
  const isLost = exchange.status === undefined
  return <Arrow from={from} to={to} y={y} label={label} short={short} isBelow className={className} isLost={isLost} />
}

/** Where a fault was injected. */
function Bolt({ x, y }: { x: number; y: number }) {
  return (
    <g class="bolt" transform={`translate(${x - 11} ${y - 11})`}>
      <circle cx="11" cy="11" r="11" />
      <path d="M12.5 3.5 6 12.3h4.6L9.5 18.5 16 9.7h-4.6z" />
    </g>
  )
}

export function StateMark({ mark: { exchange, y }, lanes }: MarkProps<'state'>) {
  const { service } = lanes
  const half = 10 + (exchange.to.length * WIDE_LETTER) / 2
  const credit = creditLabel(exchange)
  const isCharged = credit?.endsWith('charged') === true
  const room = (lanes.receiver + RIGHT_OF_RECEIVER - service - half - 25) / LETTER
  return (
    <>
      <rect class={`pill ${exchange.to}`} x={service - half} y={y - 12} width={2 * half} height={24} rx={12} />
      <text class={`pilltext ${exchange.to}`} x={service} y={y + 4}>
        {exchange.to}
      </text>
      {credit && (
        <g class={isCharged ? 'credit charged' : 'credit'} transform={`translate(${service + half + 8} ${y})`}>
          <circle cx="6" cy="0" r="6.5" />
          <path d="M6 -3v6M4 -1.2h3M4 1.2h3" />
          <text x="17" y="4">
            {credit.length > room ? credit.split(' ', 1) : credit}
          </text>
        </g>
      )}
    </>
  )
}

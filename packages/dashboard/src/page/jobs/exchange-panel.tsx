import type { DeliveryExchange, Exchange, RequestExchange, StateExchange } from '../data/wire.ts'
import { isBad, responseLabel, sentLabel } from '../diagram/labels.ts'
import { decoded, prettyJson } from '../text/code.ts'
import { curlOf } from '../text/exchange-code.ts'
import { count, formatExact } from '../text/format.ts'
import { CopyButton } from '../ui/button.tsx'
import { Code } from '../ui/code.tsx'

/** The journal keeps so many bytes of a body. */
const MAX_BODY = 2_048

export function ExchangePanel({ exchange, startMs }: { exchange: Exchange | undefined; startMs: number }) {
  if (exchange === undefined) return null
  return (
    <section class="card panel" aria-label="Exchange">
      <p class="muted small">
        +{formatExact(exchange.at_ms - startMs)}
        {exchange.kind !== 'job' && exchange.duration_ms > 0 && `, took ${formatExact(exchange.duration_ms)}`}
      </p>
      {exchange.kind === 'job' && <State exchange={exchange} />}
      {exchange.kind === 'request' && <Request exchange={exchange} />}
      {exchange.kind === 'delivery' && <Delivery exchange={exchange} />}
      {exchange.kind !== 'job' && <Response exchange={exchange} />}
    </section>
  )
}

function State({ exchange: { from, to, credits, code, is_charged } }: { exchange: StateExchange }) {
  const price = count(credits, 'credit')
  const charge = to === 'succeeded' || is_charged ? `${price} charged.` : `${price} given back.`
  return (
    <>
      <h2>{from === undefined ? `Job created, ${to}` : `${from} → ${to}`}</h2>
      <p>{from === undefined ? `${price} reserved.` : to === 'processing' ? 'The model works on it.' : charge}</p>
      {code && <p class="bad">{code}</p>}
    </>
  )
}

function Request({ exchange }: { exchange: RequestExchange }) {
  const { method, path, attempt, fault, request_body, route } = exchange
  const isCut = fault !== undefined && method === 'POST' && request_body === undefined
  return (
    <>
      <h2>
        {method} <span class="path">{decoded(path)}</span>
      </h2>
      {route === 'control' && <p class="muted small">A call of the control API, by a test or by this page.</p>}
      {attempt > 1 && <p class="muted small">Attempt {attempt}: the one before it failed.</p>}
      {fault && <p class="notice bad">Fault {fault} was injected here.</p>}
      <CopyButton label="Copy as curl" text={() => curlOf(exchange, location.origin)} />
      <h3>Request</h3>
      <Headers list={exchange.request_headers} />
      <Body
        text={request_body}
        label="Request body"
        none={isCut ? 'The fault came before the body was read.' : 'No body.'}
      />
    </>
  )
}

function Delivery({ exchange }: { exchange: DeliveryExchange }) {
  return (
    <>
      <h2>{sentLabel(exchange)}</h2>
      <p class="path">{exchange.url}</p>
      {exchange.attempt > 1 && (
        <p class="muted small">
          The same result once more. The service may do that: a receiver has to bear duplicates.
        </p>
      )}
      <h3>Delivered</h3>
      <Body text={exchange.request_body} label="Delivered body" />
    </>
  )
}

/** What came back, from the service or from the receiver. */
function Response({ exchange }: { exchange: RequestExchange | DeliveryExchange }) {
  return (
    <>
      <h3 class={isBad(exchange) ? 'bad' : 'good'}>{responseLabel(exchange)}</h3>
      {exchange.kind === 'delivery' && exchange.outcome === 'network_error' && <p class="bad">{exchange.reason}</p>}
      <Headers list={exchange.response_headers} />
      {exchange.status !== undefined && <Body text={exchange.response_body} label="Response body" />}
    </>
  )
}

function Headers({ list = [] }: { list: RequestExchange['request_headers'] }) {
  if (list.length === 0) return null
  return (
    <details>
      <summary>{count(list.length, 'header')}</summary>
      <dl class="headers">
        {list.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function Body({ text = '', label, none = 'No body.' }: { text: string | undefined; label: string; none?: string }) {
  if (text === '') return <p class="muted small">{none}</p>
  return (
    <>
      <Code text={prettyJson(text)} label={label} />
      {new TextEncoder().encode(text).length >= MAX_BODY && <p class="muted small">Cut at {MAX_BODY} bytes.</p>}
    </>
  )
}

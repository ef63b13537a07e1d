import { adviceIn } from '../activity/rows.ts'
import type { DeliveryExchange, Exchange, RequestExchange, StateExchange } from '../data/wire.ts'
import { isBad, responseLabel, sentLabel } from '../diagram/labels.ts'
import { decoded, prettyJson } from '../text/code.ts'
import { clientCallOf, curlOf, curlOfDelivery } from '../text/exchange-code.ts'
import { count, formatExact } from '../text/format.ts'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'

/** The journal keeps so many bytes of a body. */
const MAX_BODY = 2_048

/** What was sent and what came back. */
export function ExchangePanel({ exchange, startMs }: { exchange: Exchange | undefined; startMs: number }) {
  return (
    <section class="card panel" aria-label="Exchange">
      {exchange === undefined ? (
        <p class="muted">Point at a line of the diagram, or move through it with Tab and the arrow keys.</p>
      ) : (
        <>
          <p class="muted small">
            +{formatExact(exchange.at_ms - startMs)}
            {exchange.kind !== 'job' && exchange.duration_ms > 0 && `, took ${formatExact(exchange.duration_ms)}`}
          </p>
          {exchange.kind === 'job' && <State exchange={exchange} />}
          {exchange.kind === 'request' && <Request exchange={exchange} />}
          {exchange.kind === 'delivery' && <Delivery exchange={exchange} />}
        </>
      )}
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
  const { method, path, attempt, fault, hint, request_body, response_body, request_headers, response_headers } =
    exchange
  const isControl = exchange.route === 'control'
  return (
    <>
      <h2>
        {method} <span class="path">{decoded(path)}</span>
      </h2>
      {isControl && <p class="muted small">A call of the control API, by a test or by this page.</p>}
      {attempt > 1 && <p class="muted small">Attempt {attempt}: the one before it failed.</p>}
      {fault && <p class="notice bad">Fault {fault} was injected here.</p>}
      <div class="buttons">
        <CopyButton label="Copy as curl" text={() => curlOf(exchange, location.origin)} />
        {!isControl && <CopyButton label="Copy as client call" text={() => clientCallOf(exchange)} />}
      </div>
      <h3>Request</h3>
      <Headers list={request_headers} />
      {fault && method === 'POST' && request_body === undefined ? (
        <p class="muted small">The fault came before the body was read.</p>
      ) : (
        <Body text={request_body} label="Request body" />
      )}
      <h3 class={isBad(exchange) ? 'bad' : 'good'}>{responseLabel(exchange)}</h3>
      {hint && <Hint text={hint} isBad={isBad(exchange)} />}
      <Headers list={response_headers} />
      <Body text={response_body} label="Response body" />
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
      <div class="buttons">
        <CopyButton label="Copy as curl" text={() => curlOfDelivery(exchange)} />
      </div>
      <h3>Delivered</h3>
      <Body text={exchange.body === undefined ? undefined : JSON.stringify(exchange.body)} label="Delivered body" />
      <h3 class={isBad(exchange) ? 'bad' : 'good'}>{responseLabel(exchange)}</h3>
      {exchange.reason && <p class="bad">{exchange.reason}</p>}
      <Headers list={exchange.response_headers} />
      {exchange.status !== undefined && <Body text={exchange.response_body} label="Response of the receiver" />}
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

/** What to do about an error; about a response that went well, why it is as it is. */
function Hint({ text, isBad: isError }: { text: string; isBad: boolean }) {
  const advice = adviceIn(text)
  return (
    <>
      {isError && advice !== '' && <p class="notice">{advice}</p>}
      <details>
        <summary>Why this response</summary>
        <p class="small">{text}</p>
      </details>
    </>
  )
}

function Body({ text, label }: { text: string | undefined; label: string }) {
  if (text === undefined || text === '') return <p class="muted small">No body.</p>
  return (
    <>
      <Code text={prettyJson(text)} label={label} />
      {new TextEncoder().encode(text).length >= MAX_BODY && <p class="muted small">Cut at {MAX_BODY} bytes.</p>}
    </>
  )
}

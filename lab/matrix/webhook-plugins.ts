import { setTimeout as sleep } from 'node:timers/promises'
import type { ResultReceiver } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { type Call, never, type Plugin, type Setting } from './plugin.ts'

const CALLS: readonly Call[] = ['sync', 'async', 'submit', 'many']
const SECRET = 'a secret of thirty-two bytes, or more'
const PUBLIC_URL = 'https://app.example.com/webhooks'
/** Beside a webhook, polls are rarer than these tests are patient. */
const polling = { nextDelayMs: () => 20 }

const inboxPlugin: Plugin = {
  name: 'webhook: inbox',
  calls: CALLS,
  isHarmless: true,
  plug: ({ cell, plainClient }) => {
    const onHandlerError = () => {}
    const inbox = createInbox({ client: plainClient(), secret: SECRET, publicUrl: PUBLIC_URL, onHandlerError })
    cell.receive = (url, init) => inbox.handle(new Request(url, init))
    return { run: { webhook: inbox }, client: { polling }, close: () => inbox.drain({ timeoutMs: 1 }) }
  },
}

/** A receiver that does nothing wrong. */
const receiver = (): ResultReceiver => ({
  prepare: async () => ({ url: `${PUBLIC_URL}?ref=1`, ref: 'ref_1' }),
  expect: async () => {},
  forget: async () => {},
  listen: () => () => {},
})

/** A receiver with some other methods, of types that the client's own types forbid. */
const withReceiver = (name: string, make: (setting: Setting) => object, flags: Partial<Plugin> = {}): Plugin => ({
  name: `webhook: ${name}`,
  calls: CALLS,
  ...flags,
  plug: (setting) => ({ run: { webhook: { ...receiver(), ...make(setting) } }, client: { polling } }),
})

const throwing =
  ({ fault }: Setting) =>
  () => {
    throw fault()
  }
const rejecting =
  ({ fault }: Setting) =>
  async () => {
    throw fault()
  }
const harmless = { isHarmless: true }
const otherJob = { status: 'succeeded', job_id: 'job_other', output: { type: 'image', items: [{ type: 'image', url: 'https://files.example.com/job_other/0.png' }] } } // biome-ignore format: a row

/** Receivers of webhooks that do something wrong. */
export const WEBHOOK_PLUGINS: readonly Plugin[] = [
  inboxPlugin,
  withReceiver('plain', () => ({}), harmless),
  withReceiver('prepare throws', (setting) => ({ prepare: throwing(setting) })),
  withReceiver('prepare rejects', (setting) => ({ prepare: rejecting(setting) })),
  withReceiver('prepare hangs', () => ({ prepare: never })),
  withReceiver('prepare late', () => ({ prepare: () => sleep(1_500, { url: PUBLIC_URL, ref: 'r' }, { ref: false }) })),
  withReceiver('prepare gives undefined', () => ({ prepare: async () => {} })),
  withReceiver('prepare gives a wrong url', () => ({ prepare: async () => ({ url: 'hooks', ref: 7 }) })),
  withReceiver('expect throws', (setting) => ({ expect: throwing(setting) }), harmless),
  withReceiver('expect rejects', (setting) => ({ expect: rejecting(setting) }), harmless),
  withReceiver('expect hangs', () => ({ expect: never })),
  withReceiver('forget throws', (setting) => ({ forget: throwing(setting) }), harmless),
  withReceiver('forget rejects', (setting) => ({ forget: rejecting(setting) }), harmless),
  withReceiver('forget hangs', () => ({ forget: never }), harmless),
  withReceiver('listen throws', (setting) => ({ listen: throwing(setting) }), harmless),
  withReceiver('listen gives undefined', () => ({ listen: () => {} }), harmless),
  withReceiver('listen gives garbage', () => ({
    listen: (_: string, listener: (event: unknown) => void) => {
      for (const event of [undefined, null, 'x', {}, { status: 'succeeded' }]) listener(event)
      return () => {}
    },
  })), // biome-ignore format: a row
  withReceiver('listen gives another job', () => ({
    listen: (_: string, listener: (event: unknown) => void) => {
      setTimeout(() => listener(otherJob), 10).unref()
      return () => {}
    },
  })), // biome-ignore format: a row
  withReceiver('end of listen throws', (setting) => ({ listen: () => throwing(setting) }), harmless),
]

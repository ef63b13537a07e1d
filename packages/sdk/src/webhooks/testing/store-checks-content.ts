import type { InboxStore } from '../store/inbox-store.ts'
import { claimRequest, type InboxStoreCheck, must, mustEqual, storedRequest, take } from './store-check.ts'

/** Texts and JSON that a careless store spoils, and what a store says of itself. */
export const contentChecks: readonly InboxStoreCheck[] = [
  {
    name: 'the store says what it guarantees',
    run: async ({ guarantees }) => {
      for (const name of ['durable', 'shared', 'transactional'] as const) {
        must(typeof guarantees[name] === 'boolean', `\`guarantees.${name}\` is true or false.`, guarantees)
      }
    },
  },
  {
    name: 'migrate asked again changes nothing',
    run: async (store) => {
      await store.expect('job', { pollInMs: 0, context: 'mine' })
      await store.migrate()
      mustEqual((await store.get('job'))?.context, 'mine', 'the records are still there.')
    },
  },
  {
    name: 'every text is a key of its own',
    run: async (store) => {
      for (const [index, key] of TEXTS.entries()) await take(store, key, { payload: index })
      for (const [index, key] of TEXTS.entries()) {
        const record = await store.get(key)
        mustEqual([record?.key, record?.payload], [key, index], 'a key has its own record.')
      }
      const listed = (await store.list('leased', { limit: 100 })).map(({ key }) => key)
      mustEqual(listed.toSorted(), TEXTS.toSorted(), 'a list has every key as it was.')
    },
  },
  {
    name: 'every text can be paged after',
    run: async (store) => {
      for (const key of TEXTS) await take(store, key)
      const keys: string[] = []
      for (let page = 0; page <= TEXTS.length; page++) {
        const [record] = await store.list('leased', { limit: 1, after: keys.at(-1) })
        if (record !== undefined) keys.push(record.key)
      }
      mustEqual(keys.toSorted(), TEXTS.toSorted(), 'the pages have every key once.')
    },
  },
  {
    name: 'every text is a reference of its own, and can be bound to',
    run: async (store) => {
      for (const text of TEXTS) await store.bind(text, text, 60_000)
      for (const text of TEXTS) mustEqual(await store.bind(text, 'late', 60_000), text, 'a reference keeps its key.')
      for (const text of TEXTS) await store.expect(text, { pollInMs: 0, ref: text })
      const due = (await store.due(100, 'poll')).map(({ key }) => key)
      mustEqual(due.toSorted(), TEXTS.toSorted(), '`due` has every key as it was.')
      for (const text of TEXTS) mustEqual((await take(store, text)).ref, text, 'a claim has the reference as it was.')
    },
  },
  {
    name: 'every text is an owner and a fingerprint of its own',
    run: async (store) => {
      for (const text of TEXTS) {
        const { lease } = await take(store, text, { owner: text, fingerprint: text })
        const { samePayload } = await store.claim(text, claimRequest({ fingerprint: text }))
        mustEqual(samePayload, true, 'a fingerprint is compared as it was.')
        const { samePayload: isOther } = await store.claim(text, claimRequest({ fingerprint: `${text}!` }))
        mustEqual(isOther, false, 'a fingerprint is compared in full.')
        mustEqual(await store.extend({ ...lease, owner: `${text}!` }, 60_000), false, 'an owner is compared in full.')
        mustEqual(await store.complete(lease, { keepMs: 60_000 }), 'ok', 'an owner is known again.')
      }
    },
  },
  {
    name: 'every text can be an error',
    run: async (store) => {
      for (const text of [...TEXTS, 'long '.repeat(2_000)]) {
        const { lease } = await take(store, 'job')
        await store.release(lease, { kind: 'retry', inMs: 0 }, text)
        mustEqual((await store.get('job'))?.lastError, text, 'an error is kept as it was.')
      }
    },
  },
  {
    name: 'every JSON is a payload, given back as it was',
    run: async (store) => {
      for (const [index, payload] of VALUES.entries()) await mustKeepPayload(store, `job-${index}`, payload)
    },
  },
  {
    name: 'every JSON is a context, given back as it was',
    run: async (store) => {
      for (const [index, context] of VALUES.entries()) await mustKeepContext(store, `job-${index}`, context)
    },
  },
  {
    name: 'what is given back is a copy: nobody can change what is stored',
    run: async (store) => {
      const payload = { items: [{ url: 'one' }] }
      const context = { tenant: { id: 7 } }
      await store.expect('job', { pollInMs: 0, context })
      const first = await take(store, 'job', { payload })
      for (const held of [payload, first.payload]) Object.assign(held as object, { items: 'spoilt' })
      for (const held of [context, first.context]) Object.assign(held as object, { tenant: 'spoilt' })
      await store.release(first.lease, { kind: 'retry', inMs: 0 })
      const second = await take(store, 'job', storedRequest())
      mustEqual(second.payload, { items: [{ url: 'one' }] }, 'a handler that failed does not change the payload.')
      mustEqual(second.context, { tenant: { id: 7 } }, 'a handler that failed does not change the context.')
    },
  },
  {
    name: 'milliseconds may be fractions',
    run: async (store) => {
      await store.expect('job', { pollInMs: 0.3 })
      await store.postpone('job', 0, { kind: 'expect', pollInMs: 0.3 })
      const { lease } = await take(store, 'job', { leaseMs: 60_000.7 })
      mustEqual(await store.extend(lease, 60_000.123456789), true, 'a lease is extended by a fraction.')
      await store.release(lease, { kind: 'retry', inMs: 1.7 })
      const dueInMs = (await store.get('job'))?.dueInMs ?? 60_000
      must(dueInMs <= 10, 'a retry is due after a fraction.', dueInMs)
      mustEqual(await store.bind('ref', 'job', 60_000.5), 'job', 'a reference is bound for a fraction.')
    },
  },
]

async function mustKeepPayload(store: InboxStore, key: string, payload: unknown): Promise<void> {
  const { lease, payload: claimed } = await take(store, key, { payload })
  mustEqual(claimed, payload, 'a claim gives the payload as it was.')
  await store.release(lease, { kind: 'retry', inMs: 0 })
  mustEqual((await take(store, key, storedRequest())).payload, payload, 'a later claim gives it as it was.')
  mustEqual((await store.get(key))?.payload, payload, '`get` gives it as it was.')
}

async function mustKeepContext(store: InboxStore, key: string, context: unknown): Promise<void> {
  await store.expect(key, { pollInMs: 0, context })
  const due = (await store.due(100, 'poll')).find((record) => record.key === key)
  mustEqual(due?.context, context, '`due` gives the context as it was.')
  mustEqual((await take(store, key)).context, context, 'a claim gives it as it was.')
  mustEqual((await store.get(key))?.context, context, '`get` gives it as it was.')
}

const TEXTS: readonly string[] = [
  'plain-1.2_3',
  ' ',
  "it's",
  'a "quoted" \\ back\\\\slash',
  "'; DROP TABLE modelrun_inbox; --",
  '{braces}:and:colons',
  '%_*?[a-z]',
  'line\r\nbreak\ttab',
  'nul\0nul',
  'nul\0',
  'üñï 漢字 🦊',
  'u\u0308',
  '\u00fc',
  '\ud800',
  '\udc00',
  '\ufffd',
  '__proto__',
  'constructor',
  'null',
  '1',
  '01',
  '$1',
  'UPPER',
  'upper',
  'x'.repeat(256),
  '🦊'.repeat(128),
  '\0'.repeat(256),
]

const VALUES: readonly unknown[] = [
  null,
  false,
  0,
  -1.5e-7,
  1e21,
  Number.MAX_SAFE_INTEGER,
  '',
  '"',
  '123',
  'null',
  [],
  {},
  [[], {}, null, ''],
  { text: 'quotes \' " ` \\ and $1 %s ? :name', lines: '\r\n\t\u2028' },
  { nul: '\0', 'nul\0key': 1, escape: '\\u0000' },
  { unicode: 'üñï 漢字 🦊', lone: '\ud83e', '\udd8a': 'lone' },
  /* @__PURE__ */ JSON.parse('{ "__proto__": { "polluted": true }, "constructor": { "prototype": 1 } }'),
  { large: /* @__PURE__ */ 'ü{"\\\n'.repeat(40_000) },
  /* @__PURE__ */ Array.from({ length: 5_000 }, (_, index) => ({ index })),
]

import type { ClaimRequest, InboxRecord, InboxStore } from '../store/inbox-store.ts'
import { afterClaim, type DishonestStores } from './dishonest-stores.ts'

/** Changes every key on its way in, as a careless store does. */
function withKeys(honest: InboxStore, change: (key: string) => string): Partial<InboxStore> {
  return {
    expect: (key, expectation) => honest.expect(change(key), expectation),
    claim: (key, request) => honest.claim(change(key), request),
    get: (key) => honest.get(change(key)),
  }
}

/** Changes every payload on its way in. */
function withPayloads(honest: InboxStore, change: (payload: unknown) => unknown): Partial<InboxStore> {
  const changed = ({ payload, ...request }: ClaimRequest) =>
    payload === undefined ? request : { ...request, payload: change(payload) }
  return { claim: (key, request) => honest.claim(key, changed(request)) }
}

function inList(honest: InboxStore, change: (records: InboxRecord[]) => InboxRecord[]): Partial<InboxStore> {
  return {
    list: async (state, { limit, after }) => {
      const records = change(await honest.list(state, { limit: 1_000 }))
      const start = after === undefined ? 0 : records.findIndex(({ key }) => key === after) + 1
      return records.slice(start, start + limit)
    },
  }
}

const withoutNul = (text: string) => text.split('\0', 1)[0] ?? ''
const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd')
const refuse = (what: string) => Promise.reject(new Error(`no ${what}`))

/** Lies of what is expected and listed, and what spoils texts and JSON. */
export const contentLies: DishonestStores = {
  'expect overwrites': (honest) => {
    const latest = new Map<string, unknown>()
    return {
      expect: async (key, expectation) => {
        latest.set(key, expectation.context)
        await honest.expect(key, expectation)
      },
      get: async (key) => {
        const record = await honest.get(key)
        return record && { ...record, context: latest.get(key) ?? record.context }
      },
    }
  },
  'expect fills in nothing': (honest) => ({
    expect: async (key, expectation) => {
      if ((await honest.get(key)) === undefined) await honest.expect(key, expectation)
    },
  }),
  'expect takes the lease away': (honest) => ({
    expect: async (key, expectation) => {
      const record = await honest.get(key)
      if (record?.state === 'leased') await honest.claim(key, { owner: 'x', leaseMs: 1, fingerprint: '' })
      else await honest.expect(key, expectation)
    },
  }),
  'expect polls at once': (honest) => ({ expect: (key, facts) => honest.expect(key, { ...facts, pollInMs: 0 }) }),
  'a context of null is none': (honest) => ({
    expect: (key, { context, ...facts }) => honest.expect(key, { ...facts, context: context ?? undefined }),
  }),
  'the last one gets the reference': () => ({ bind: async (_, key) => key }),
  'there is one reference': (honest) => ({ bind: (_, key, keepMs) => honest.bind('same', key, keepMs) }),
  'references are bound for ever': (honest) => ({ bind: (ref, key) => honest.bind(ref, key, 1e9) }),
  'references are bound for too short': (honest) => ({
    bind: (ref, key) => honest.bind(ref, key, 0),
  }),
  'lists have every state': (honest) => ({
    list: async (_, options) => {
      const states = ['expected', 'leased', 'retry', 'done', 'dead'] as const
      return (await Promise.all(states.map((state) => honest.list(state, options)))).flat()
    },
  }),
  'lists have no limit': (honest) => ({ list: (state, { after }) => honest.list(state, { limit: 1_000, after }) }),
  'lists have one page': (honest) => ({ list: (state, { limit }) => honest.list(state, { limit }) }),
  'lists are in the order of the keys': (honest) => inList(honest, (records) => records.toSorted(byKey)),
  'lists are in the order of the due times': (honest) =>
    inList(honest, (records) => records.toSorted((a, b) => a.dueInMs - b.dueInMs || byKey(a, b))),
  'lists start anew when the last record has left': (honest) => inList(honest, (records) => records),
  'lists end when the last record is gone': (honest) => ({
    list: async (state, options) =>
      options.after !== undefined && (await honest.get(options.after)) === undefined
        ? []
        : await honest.list(state, options),
  }),
  'lists keep what has left': (honest) => {
    const seen = new Map<string, InboxRecord>()
    return {
      list: async (state, options) => {
        const records = await honest.list(state, options)
        for (const record of records) seen.set(record.key, record)
        const left = [...seen.values()].filter(({ key }) => records.every((record) => record.key !== key))
        return options.after === undefined ? [...records, ...left].slice(0, options.limit) : records
      },
    }
  },
  'lists show nothing': () => ({ list: async () => [] }),
  'keys without letter case': (honest) => withKeys(honest, (key) => key.toLowerCase()),
  'keys that end at a NUL': (honest) => withKeys(honest, withoutNul),
  'keys that are made well-formed': (honest) => withKeys(honest, wellFormed),
  'keys of at most 100 characters': (honest) => ({
    expect: (key, facts) => (key.length > 100 ? refuse('long keys') : honest.expect(key, facts)),
    claim: (key, request) => (key.length > 100 ? refuse('long keys') : honest.claim(key, request)),
  }),
  'references without letter case': (honest) => ({
    bind: (ref, key, keepMs) => honest.bind(ref.toLowerCase(), key, keepMs),
  }),
  'owners and fingerprints that end at a NUL': (honest) => ({
    claim: (key, { owner, fingerprint, ...request }) =>
      honest.claim(key, { ...request, owner: withoutNul(owner), fingerprint: withoutNul(fingerprint) }),
  }),
  'errors of at most 1,000 characters': (honest) => ({
    release: (lease, next, ...errors) => honest.release(lease, next, ...errors.map((text) => text?.slice(0, 1_000))),
  }),
  'no NUL in payloads': (honest) =>
    withPayloads(honest, (payload) => JSON.parse(JSON.stringify(payload).replaceAll('\\u0000', ''))),
  'payloads of at most 64 kB': (honest) => ({
    claim: (key, request) =>
      (JSON.stringify(request.payload) ?? '').length > 65_536 ? refuse('large payloads') : honest.claim(key, request),
  }),
  'contexts lose __proto__': (honest) => ({
    expect: (key, facts) =>
      honest.expect(key, {
        ...facts,
        context: JSON.parse(JSON.stringify(facts.context) ?? 'null', (name, value) =>
          name === '__proto__' ? undefined : value,
        ),
      }),
  }),
  'the payload is no copy': (honest) => {
    const held = new Map<string, unknown>()
    return {
      claim: async (key, request) => {
        if (!held.has(key)) held.set(key, request.payload)
        return await afterClaim(honest, (result) => ({ ...result, payload: held.get(key) }))(key, request)
      },
    }
  },
  'no fractions': (honest) => ({
    extend: (lease, ms) => (Number.isInteger(ms) ? honest.extend(lease, ms) : refuse('fractions')),
  }),
  'no guarantees': () => ({ guarantees: JSON.parse('{}') }),
  'migrate begins anew': (honest) => {
    let isNew = false
    return {
      migrate: async () => {
        isNew = true
      },
      get: async (key) => (isNew ? undefined : await honest.get(key)),
    }
  },
}

function byKey(a: InboxRecord, b: InboxRecord): number {
  return a.key < b.key ? -1 : 1
}

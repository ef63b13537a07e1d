import type { InputProperty } from '@modelrun/contract'
import { describe, expect, it, vi } from 'vitest'
import { json, type Step } from '../testing/scripted-service.ts'
import { createTestClient } from '../testing/test-client.ts'
import { schemaHash } from './schema-hash.ts'
import { warnOfChangedModels } from './warn-of-changed-models.ts'

const PROMPT: InputProperty = { type: 'string', description: 'What to draw' }

function modelOf(properties: Record<string, InputProperty>) {
  const texts = { name: 'Aurora', description: '', category: 'text-to-image', provider: 'p', status: 'active' }
  const input_schema = { type: 'object', properties, required: ['prompt'] }
  return { id: 'aurora-image', ...texts, pricing: { credits_per_run: 4 }, input_schema }
}

const MODEL = modelOf({ prompt: PROMPT })
const CHANGED = modelOf({ prompt: PROMPT, seed: { type: 'integer' } })
const COMPLETED: Step = json(200, {
  job_id: 'job_1',
  request_id: 'req_1',
  status: 'completed',
  model_id: 'aurora-image',
  output: { type: 'image', items: [] },
  duration_ms: 1,
  credits_used: 4,
})

async function clientOf(steps: readonly Step[], hashes?: Record<string, string>) {
  const warn = vi.fn<(message: string) => void>()
  const declared = hashes ?? { 'aurora-image': await schemaHash(MODEL.input_schema) }
  return { warn, ...createTestClient(steps, { middleware: [warnOfChangedModels(declared, { warn })] }) }
}

describe('warnOfChangedModels', () => {
  it('warns once of a model whose schema is not the declared one, and names it', async () => {
    const { client, warn } = await clientOf([json(200, CHANGED)])
    await client.models.get('aurora-image')
    await vi.waitFor(() => expect(warn).toHaveBeenCalledWith(expect.stringContaining('aurora-image has changed')))
    await client.models.get('aurora-image')
    await Promise.all(Array.from({ length: 5 }, () => client.models.get('aurora-image')))
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('compares in the check before a run, which continues', async () => {
    const { client, warn, service } = await clientOf([json(200, CHANGED), COMPLETED])
    const result = await client.run('aurora-image', { prompt: 'x' }, { validateInput: true })
    expect(result.job_id).toBe('job_1')
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1))
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })

  it.each([
    ['the declared one', MODEL, undefined],
    ['the declared one with other texts and another price', { ...MODEL, name: 'B', pricing: { credits_per_run: 9 } }],
    ['of a model that was not declared', CHANGED, {}],
    ['not readable', { ...CHANGED, input_schema: null }],
  ])('is silent when the schema is %s', async (_, model, hashes?: Record<string, string>) => {
    const declared = hashes ?? { 'aurora-image': await schemaHash(MODEL.input_schema) }
    const last = json(200, { ...CHANGED, id: 'last' })
    const { client, warn } = await clientOf([json(200, model), last], { ...declared, last: '0000000000000000' })
    await client.models.get('aurora-image').catch(() => {})
    await client.models.get('last')
    await vi.waitFor(() => expect(warn).toHaveBeenCalled())
    expect(warn.mock.calls).toEqual([[expect.stringContaining('last has changed')]])
  })

  it('warns by console.warn when no other function is given', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const middleware = [warnOfChangedModels({ 'aurora-image': '0000000000000000' })]
    const { client } = createTestClient([json(200, MODEL)], { middleware })
    await client.models.get('aurora-image')
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1))
    warn.mockRestore()
  })
})

describe('schemaHash', () => {
  const hashOf = (properties: Record<string, InputProperty>, required: string[] = []) =>
    schemaHash({ type: 'object', properties, required })

  const size: InputProperty = { type: 'string', enum: ['small', 'large'], default: 'small' }
  const count: InputProperty = { type: 'integer', minimum: 1, maximum: 4, default: 1 }

  it('is 16 hexadecimal digits', async () => {
    expect(await hashOf({ size, count })).toMatch(/^[0-9a-f]{16}$/)
  })

  it.each([
    ['the order of parameters', hashOf({ count, size }, ['size', 'count'])],
    ['the order of allowed values', hashOf({ size: { ...size, enum: ['large', 'small'] }, count }, ['count', 'size'])],
    ['a description', hashOf({ size: { ...size, description: 'new' }, count }, ['count', 'size'])],
    [
      'a name that the parser leaves out',
      hashOf({ ...JSON.parse('{"__proto__":{}}'), size, count }, ['count', 'size']),
    ],
  ])('stays the same after a change of %s', async (_, other) => {
    expect(await other).toBe(await hashOf({ size, count }, ['size', 'count']))
  })

  it('changes with a name, a type, a value, a default, a bound, and with what is required', async () => {
    const hashes = await Promise.all([
      hashOf({ size, count }),
      hashOf({ size, count }, ['size']),
      hashOf({ size }),
      hashOf({ sizes: size, count }),
      hashOf({ size: { ...size, enum: ['small'] }, count }),
      hashOf({ size: { ...size, enum: ['small', 'large', 1] }, count }),
      hashOf({ size: { ...size, enum: ['small', 'large', '1'] }, count }),
      hashOf({ size: { ...size, default: 'large' }, count }),
      hashOf({ size: { ...size, default: null }, count }),
      hashOf({ size: { type: 'string', enum: ['small', 'large'] }, count }),
      hashOf({ size, count: { ...count, type: 'number' } }),
      hashOf({ size, count: { ...count, type: ['integer', 'null'] } }),
      hashOf({ size, count: { ...count, minimum: 0 } }),
      hashOf({ size, count: { ...count, maximum: 8 } }),
    ])
    expect(new Set(hashes).size).toBe(hashes.length)
  })
})

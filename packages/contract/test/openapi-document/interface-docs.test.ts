import { expect, test } from 'vitest'
import { readInterfaceDocs } from './interface-docs.ts'

const docs = readInterfaceDocs(new URL('../../src/', import.meta.url))

test('the comment of an interface and of a property is read', () => {
  expect(docs.get('ModelPricing')).toEqual({
    text: 'The price of a run (section 2.1).',
    properties: {
      credits_per_run: {
        text: 'Credits charged per run. Whether a run that fails is charged: not shown.',
        type: 'number',
      },
    },
  })
})

test('an interface has the properties that it inherits', () => {
  expect(docs.get('RunQueued')?.properties).toMatchObject({
    job_id: { text: 'Identifier of the job, used in job paths.' },
    status: { type: "'queued'" },
  })
})

test('the type of a property does not contain `| undefined`', () => {
  expect(docs.get('ListModelsQuery')?.properties.category?.type).toBe('ModelCategory')
})

test('the comment of a union is read', () => {
  expect(docs.get('WebhookDelivery')?.text).toContain('sometimes sent twice')
})

import { type CatalogModel, DEFAULT_CATALOG } from '@modelrun/reference-server'
import { expect, it } from 'vitest'
import { createTypesHarness } from '../../test/types/types-harness.ts'

const MODELS = 1_000

// The promise is 2 s on a machine that does nothing else. Tests share theirs.
it('writes a thousand models in seconds, the same bytes each time', async () => {
  const harness = createTypesHarness()
  harness.catalog = Array.from({ length: MODELS }, (_, index) => {
    const model = DEFAULT_CATALOG[index % DEFAULT_CATALOG.length] as CatalogModel
    return { ...structuredClone(model), id: `${model.id}-${index}` }
  })
  const startedAt = performance.now()
  const { stderr } = await harness.run({ all: true })
  expect(performance.now() - startedAt).toBeLessThan(20_000)
  expect(stderr).toContain('1000 models, written')
  const { stderr: second } = await harness.run({ all: true, check: true })
  expect(second).toContain('up to date.')
}, 60_000)

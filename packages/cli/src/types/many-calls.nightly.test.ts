import { type CatalogModel, DEFAULT_CATALOG } from '@modelrun/reference-server'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { createProject } from '../../test/types/temporary-project.ts'
import { createTypesHarness } from '../../test/types/types-harness.ts'

const MODELS = 1_000

const CALLS = `
await client.run('aurora-image-0', { prompt: 'x' })
await client.submit('aurora-image-0', { prompt: 'x' })
await client.models.run('aurora-image-0', { input: { prompt: 'x' } })
client.runMany('aurora-image-0', [{ prompt: 'x' }])
`

// Counted, not timed: the count is the same on every machine. It was 45,000 when each call looked up every model.
it('costs the compiler the models that are called, and not a thousand that are listed', async () => {
  const harness = createTypesHarness()
  harness.catalog = Array.from({ length: MODELS }, (_, index) => {
    const model = DEFAULT_CATALOG[index % DEFAULT_CATALOG.length] as CatalogModel
    return { ...structuredClone(model), id: `${model.id}-${index}` }
  })
  await harness.run({ all: true })
  const main = `import { ModelRun } from 'modelrun'\nconst client = new ModelRun()\n${CALLS}`
  await using project = await createProject({ 'main.ts': main, 'modelrun.models.d.ts': harness.text })
  const config = ts.getParsedCommandLineOfConfigFile(`${project.folder}/tsconfig.json`, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: () => {},
  })
  const program = ts.createProgram(config?.fileNames ?? [], { ...config?.options, skipLibCheck: true })
  const source = program.getSourceFile(`${project.folder}/main.ts`)
  expect(program.getSemanticDiagnostics(source)).toEqual([])
  expect(program.getInstantiationCount()).toBeLessThan(5_000)
})

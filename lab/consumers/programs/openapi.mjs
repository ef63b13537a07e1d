// Reads both OpenAPI documents as tools of other projects do: a validator, and three generators of clients.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import openapiTypeScript, { astToString } from 'openapi-typescript'
import { generate } from 'orval'

const ERROR = 0
const { resolve } = createRequire(import.meta.url)
const documents = {
  service: resolve('@modelrun/contract/openapi.json'),
  control: resolve('@modelrun/reference-server/control-openapi.json'),
}

for (const [name, file] of Object.entries(documents)) {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [rulesets.oas] })
  const problems = (await linter.run(readFileSync(file, 'utf8'))).filter(({ severity }) => severity === ERROR)
  if (problems.length > 0) throw new Error(`Spectral about ${name}: ${JSON.stringify(problems, null, 2)}`)

  const types = await openapiTypeScript(pathToFileURL(file), { defaultNonNullable: false })
  writeFileSync(`${name}-types.ts`, astToString(types))
  await createClient({ input: file, output: `hey-api-${name}`, plugins: ['@hey-api/client-fetch', '@hey-api/sdk'] })
  await generate({ input: file, output: { target: `orval-${name}/api.ts`, client: 'fetch' } })
}

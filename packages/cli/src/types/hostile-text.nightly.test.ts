import fc from 'fast-check'
import type { Model } from 'modelrun'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { hostileCatalog } from '../../test/types/hostile-catalog.ts'
import { literalsOf, membersOf, modelsOf, parse } from '../../test/types/parsed-types.ts'
import { renderTypes } from './render-types.ts'

const numRuns = Number(process.env.FUZZ_RUNS ?? 60)

function render(models: readonly Model[]): string {
  return renderTypes(models, { isOpen: false })
}

/** No object literal can have the name, so that no type has it. */
function namesOf({ properties, required = [] }: Model['input_schema']): string[] {
  const names = new Set([...Object.keys(properties), ...required])
  return [...names].filter((name) => name !== '__proto__').toSorted()
}

function checkParameters({ properties, ...schema }: Model['input_schema'], declared: ts.TypeNode | undefined): void {
  const parameters = membersOf(declared as ts.TypeNode)
  expect([...parameters.keys()].toSorted()).toEqual(namesOf({ properties, ...schema }))
  for (const [name, type] of parameters) {
    const allowed = (Object.hasOwn(properties, name) && properties[name]?.enum) || []
    // Those that can be written as literals, as JSON has them.
    const values = allowed.filter((value) => typeof value !== 'object' || value === null)
    const literals = literalsOf(type)
    if (values.length > 0) expect(new Set(literals)).toEqual(new Set(JSON.parse(JSON.stringify(values))))
    else expect(literals.every((literal) => literal === null || Number.isInteger(literal))).toBe(true)
  }
}

describe('a catalog with hostile texts', () => {
  it('gives a file whose code has its ids, names and values, and nothing else', async () => {
    const check = async (models: Model[]) => {
      const file = parse(render(models), 'modelrun.models.d.ts')
      const { parseDiagnostics, commentDirectives = [], checkJsDirective, referencedFiles } = file
      expect([parseDiagnostics, commentDirectives, checkJsDirective, referencedFiles]).toEqual([[], [], undefined, []])
      expect(file.statements.slice(0, -1).map((statement) => statement.getText())).toEqual(['export {}'])
      const declared = membersOf(modelsOf(file))
      expect([...declared.keys()]).toEqual(models.map(({ id }) => id).toSorted())
      for (const { id, input_schema: schema } of models) checkParameters(schema, declared.get(id))
    }
    await fc.assert(fc.asyncProperty(hostileCatalog, check), { numRuns })
  })

  it('gives comments that have no tag but @default, and no character that is not seen', async () => {
    const check = async (models: Model[]) => {
      const text = render(models)
      const visit = (node: ts.Node): void => {
        const tags = ts.getJSDocTags(node).map(({ tagName }) => tagName.text)
        expect(['', 'default']).toContain(tags.join())
        node.forEachChild(visit)
      }
      visit(modelsOf(parse(text, 'modelrun.models.d.ts')))
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
    }
    await fc.assert(fc.asyncProperty(hostileCatalog, check), { numRuns })
  })

  it('gives the same bytes in whatever order the service lists models, parameters and values', async () => {
    const reverse = ({ input_schema: schema, ...model }: Model): Model => {
      const reversed = Object.entries(schema.properties).map(([name, { enum: values, ...property }]) => {
        return [name, values ? { ...property, enum: values.toReversed() } : property]
      })
      const properties = Object.fromEntries(reversed.toReversed())
      return { ...model, input_schema: { ...schema, properties, required: (schema.required ?? []).toReversed() } }
    }
    const check = async (models: Model[]) => {
      expect(render(models.map(reverse).toReversed())).toBe(render(models))
    }
    await fc.assert(fc.asyncProperty(hostileCatalog, check), { numRuns })
  })
})

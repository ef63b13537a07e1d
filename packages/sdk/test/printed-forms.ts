/** Everything that a program could print of a value, as one text, to check that it contains no secret. */
export function printedForms(value: unknown): string {
  const { inspect } = process.getBuiltinModule('node:util')
  const forms = [
    String(value),
    JSON.stringify(value) ?? '',
    inspect(value, { depth: 10 }),
    inspect(value, { depth: 10, showHidden: true, customInspect: false }),
  ]
  return forms.join('\n')
}

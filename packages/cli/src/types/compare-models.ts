import { printable } from './foreign-text.ts'
import type { Parameter, WrittenModel } from './typed-model.ts'

/**
 * What changed from the models of a file to those of the catalog, one line a change: `-` was removed, `+` was added, `~`
 * has another value. Empty when nothing did.
 */
export function compareModels(before: readonly WrittenModel[], after: readonly WrittenModel[]): string[] {
  const pairs = pair(before, after, ({ id }) => id)
  return pairs.flatMap(({ name, before: from, after: to }) => {
    if (to === undefined) return [`- ${printable(name)}: the model is not in the catalog any more (breaking)`]
    if (from === undefined) return [`+ ${printable(name)}: the model is not in the file yet`]
    const changes = compareModel(from, to)
    return changes.length === 0 ? [] : [printable(name), ...changes.map((change) => `  ${change}`)]
  })
}

function compareModel(from: WrittenModel, to: WrittenModel): string[] {
  const parameters = pair(from.parameters, to.parameters, ({ name }) => name).flatMap(compareParameter)
  const price = from.credits === to.credits ? [] : [`~ price: ${from.credits} -> ${to.credits} credits per run`]
  const changes = [...price, ...parameters]
  // Such as a parameter with a default that is required now: it may be left out as before.
  return changes.length === 0 && from.hash !== to.hash ? [`~ schema: ${from.hash} -> ${to.hash}`] : changes
}

function compareParameter({ name: id, before, after }: Pair<Parameter>): string[] {
  const name = printable(id)
  if (after === undefined) return [`- ${name}: the parameter was removed (breaking)`]
  if (before === undefined) {
    return [after.isRequired ? `+ ${name}: required, new (breaking)` : `+ ${name}: optional, new`]
  }
  const changes = [
    ...change('', needOf(before), needOf(after)),
    ...change('type ', before.types?.join(' or '), after.types?.join(' or ')),
    ...compareValues(before.enum, after.enum),
    ...change('default ', JSON.stringify(before.default), JSON.stringify(after.default)),
    ...change('minimum ', before.minimum, after.minimum),
    ...change('maximum ', before.maximum, after.maximum),
  ]
  return changes.map((text) => `~ ${name}: ${text}`)
}

function needOf({ isRequired }: Parameter): string {
  return isRequired ? 'required' : 'optional'
}

function compareValues(before: readonly unknown[] | undefined, after: readonly unknown[] | undefined): string[] {
  if (before === undefined || after === undefined) return change('values ', jsonList(before), jsonList(after))
  const pairs = pair(before, after, (value) => JSON.stringify(value))
  return pairs.flatMap(({ name, ...value }) => {
    if (value.after === undefined) return [`without ${printable(name)} (breaking)`]
    return value.before === undefined ? [`also ${printable(name)}`] : []
  })
}

function jsonList(values: readonly unknown[] | undefined): string | undefined {
  return values?.map((value) => JSON.stringify(value)).join(', ')
}

function change(label: string, before: string | number | undefined, after: string | number | undefined): string[] {
  if (before === after) return []
  const [from, to] = [before, after].map((value) => printable(String(value ?? 'none')))
  return [`${label}${from} -> ${to}`]
}

/** What has one name before and after. */
interface Pair<T> {
  name: string
  before: T | undefined
  after: T | undefined
}

/** Sorted by name. */
function pair<T>(before: readonly T[], after: readonly T[], nameOf: (one: T) => string): Pair<T>[] {
  const [from, to] = [before, after].map((list) => new Map(list.map((one) => [nameOf(one), one])))
  const names = [...new Set([...(from?.keys() ?? []), ...(to?.keys() ?? [])])].toSorted()
  return names.map((name) => ({ name, before: from?.get(name), after: to?.get(name) }))
}

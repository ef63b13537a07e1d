import { type CheckName, orderOfChecks } from '@modelrun/contract/assumptions'
import type { Service } from '../service/service.ts'
import type { RouteResult } from './app-env.ts'

type Checks<Result> = Readonly<Partial<Record<CheckName, () => Result>>>

/** The checks of a request in the order of the assumption `checkOrder`. */
export function inOrder<Result>({ options }: Pick<Service, 'options'>, checks: Checks<Result>): (() => Result)[] {
  return orderOfChecks(options.assumptions.checkOrder).flatMap((name) => checks[name] ?? [])
}

/** The first of these checks that rejects a request. At once: a read sees the state of one moment. */
export function firstMistake(
  service: Pick<Service, 'options'>,
  checks: Checks<RouteResult | undefined>,
): RouteResult | undefined {
  for (const check of inOrder(service, checks)) {
    const rejected = check()
    if (rejected !== undefined) return rejected
  }
  return undefined
}

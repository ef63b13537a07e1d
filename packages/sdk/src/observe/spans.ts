import { loadPart } from '../load-part.ts'
import type { ResolvedOptions } from '../options.ts'
import { textOf } from './logger.ts'
import type { RunSpans } from './run-spans.ts'

/** The spans of one client. They load when it first runs something or waits, and only where there is a tracer. */
export interface Spans {
  /** Undefined until {@link load} has resolved. */
  readonly loaded: RunSpans | undefined
  /** Never rejects: spans that cannot be loaded cost no run. */
  load(): Promise<RunSpans | undefined>
}

/** @returns Undefined without a tracer: then nothing is done for traces. */
export function createSpans({ tracer, log, baseUrl }: ResolvedOptions): Spans | undefined {
  if (tracer === undefined) return undefined
  let loaded: RunSpans | undefined
  const make = async () => {
    try {
      const { RunSpans } = await loadPart(() => import('./run-spans.ts'))
      loaded = new RunSpans({ tracer, log, baseUrl })
    } catch (error) {
      log.warn(`there are no spans; runs are not affected: ${textOf(error)}`)
    }
    return loaded
  }
  let loading: Promise<RunSpans | undefined> | undefined
  return {
    get loaded() {
      return loaded
    },
    load: () => {
      loading ??= make()
      return loading
    },
  }
}

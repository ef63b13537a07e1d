/** The modules of Node that the package can use where they are. */
interface Builtins {
  'node:async_hooks': typeof import('node:async_hooks')
  'node:diagnostics_channel': typeof import('node:diagnostics_channel')
  'node:http': typeof import('node:http')
  'node:fs/promises': typeof import('node:fs/promises')
  'node:path': typeof import('node:path')
  'node:sqlite': typeof import('node:sqlite')
  'node:util': typeof import('node:util')
}

/**
 * A module that comes with Node; undefined elsewhere. It is not imported, because browsers have no such modules and
 * bundlers for browsers would fail. Next's Edge runtime throws as soon as `getBuiltinModule` is used.
 */
export function nodeBuiltin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  try {
    return globalThis.process?.getBuiltinModule?.(name)
  } catch {
    return undefined
  }
}

/** In Cloudflare Workers, a request that waits for the timer or the response of another request is ended by the runtime. */
export function isWorkers(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers'
}

/** An environment variable, where the runtime has them. */
export function readEnvironment(name: string): string | undefined {
  try {
    return globalThis.process?.env?.[name]
  } catch {
    return undefined // Deno without --allow-env
  }
}

/** Captures the async context of its caller, and returns a function that does work in it. */
export type ContextCapture = () => <T>(work: () => T) => T

/** In runtimes without async contexts, work is done as it is. */
export function createContextCapture(): ContextCapture {
  const plain = <T>(work: () => T): T => work()
  return nodeBuiltin('node:async_hooks')?.AsyncLocalStorage.snapshot ?? (() => plain)
}

import { afterEach, vi } from 'vitest'

// Files share a process. Runs after the hooks of the test, because it is the first of all.
afterEach(() => {
  // First: fake timers bring back what was there before them, which may be a stub.
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

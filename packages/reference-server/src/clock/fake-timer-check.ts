const ADVICE =
  'modelrun-reference-server: queueMicrotask is faked, and without it no runtime reads the body of a request or a ' +
  "response: calls hang until the fake time moves. Leave it alone: jest.useFakeTimers({ doNotFake: ['queueMicrotask', " +
  "'nextTick'] }), or vi.useFakeTimers() without queueMicrotask in toFake."

/** Makes a check that warns, once, of fake timers under which nothing can work; it cannot help by itself. */
export function createFakeTimerCheck(): () => void {
  let isWarned = false
  return () => {
    // The libraries that fake it, Jest's and vitest's, mark what they put in its place.
    if (isWarned || !('clock' in globalThis.queueMicrotask)) return
    isWarned = true
    console.warn(ADVICE)
  }
}

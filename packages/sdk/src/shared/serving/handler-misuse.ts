import { ConfigurationError, checkEach, hasMethods, needs } from '@modelrun/kit'

const request = /* @__PURE__ */ needs(
  'a web-standard Request (for requests of Node and Express there is `node()`)',
  (value) => hasMethods(value, 'arrayBuffer'),
)

/** @throws ConfigurationError for requests of Node: they would get no response */
export function checkWebRequest(place: string, given: unknown): void {
  checkEach(place, { request: given }, { request })
}

/**
 * `createServer(inbox.node)` would create a listener for each request, and respond to none.
 *
 * @throws ConfigurationError
 */
export function rejectArguments(place: string, given: readonly unknown[]): void {
  if (given.length === 0) return
  throw new ConfigurationError({
    message: `\`${place}\` creates a handler, and was called as one. Pass \`${place}()\` where you passed \`${place}\`.`,
  })
}

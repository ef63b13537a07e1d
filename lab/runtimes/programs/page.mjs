// In a page, and in a worker of it, which responds to messages.
import { findFacts } from './find-facts.mjs'

globalThis.findFacts = findFacts
if (typeof document === 'undefined') {
  globalThis.onmessage = ({ data }) => findFacts(...data).then(postMessage, (error) => postMessage(String(error)))
}

// Becomes `proxy.js` or `middleware.js`.
import worker from './programs/worker.mjs'

export default function handle(request, event) {
  return worker.fetch(request, {}, event)
}

export const config = { matcher: '/before-routes/:task' }

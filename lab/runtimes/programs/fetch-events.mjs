// Where requests are events: in the Edge runtime, and in a service worker, which sees those of its pages.
import worker from './worker.mjs'

addEventListener('fetch', (event) => {
  const isForUs = new URL(event.request.url).pathname.startsWith('/worker/')
  if (isForUs) event.respondWith(worker.fetch(event.request, {}, event))
})

// A service worker alone has these: it takes over the page that has registered it.
addEventListener('activate', (event) => event.waitUntil(clients.claim()))

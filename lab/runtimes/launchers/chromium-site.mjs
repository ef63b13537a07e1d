import { once } from 'node:events'
import { createServer } from 'node:http'
import { createReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { createProxy } from 'modelrun/proxy'
import { bundle } from './bundle.mjs'

const PAGE = '<!doctype html><title>Page</title><link rel="icon" href="data:,"><script src="/page.js"></script>'

/** A site with the programs for a browser, whose server has a proxy for one model. */
export async function openSite() {
  const scripts = {
    '/page.js': await bundle('page.mjs', { platform: 'browser' }),
    '/service-worker.js': await bundle('fetch-events.mjs', { platform: 'browser' }),
  }
  const handleCall = openProxy().node()
  const site = createServer((request, response) => {
    if (request.url.startsWith('/api/modelrun/')) return handleCall(request, response)
    const script = scripts[request.url]
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html').end(script ?? PAGE)
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  const close = () => {
    site.close()
    site.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${site.address().port}/`, close }
}

function openProxy() {
  return createProxy({
    client: new ModelRun(createReferenceServer().clientOptions()),
    models: ['aurora-image'],
    secret: 'a secret of thirty-two bytes, or more',
    authorize: () => ({ user: 'anna' }),
  })
}

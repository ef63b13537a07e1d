import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

/**
 * A registry for a rehearsal: keeps what is published in memory, and sends npm to another registry for everything else.
 * Returns its url.
 */
export async function startRegistry(other) {
  const packages = new Map()
  const tarballs = new Map()
  let url = ''

  async function publish(request) {
    const sent = await json(request)
    const known = packages.get(sent.name) ?? { name: sent.name, 'dist-tags': {}, versions: {} }
    for (const [file, { data }] of Object.entries(sent._attachments)) {
      const bytes = Buffer.from(data, 'base64')
      tarballs.set(`/-/${file}`, bytes)
      const [version] = Object.values(sent.versions)
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
      known.versions[version.version] = { ...version, dist: { tarball: `${url}/-/${file}`, integrity } }
    }
    Object.assign(known['dist-tags'], sent['dist-tags'])
    packages.set(sent.name, known)
  }

  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url)
    if (request.method === 'PUT') {
      await publish(request)
      return response.writeHead(201).end('{}')
    }
    const found = tarballs.get(path) ?? packages.get(path.slice(1))
    if (found !== undefined) return response.end(Buffer.isBuffer(found) ? found : JSON.stringify(found))
    response.writeHead(302, { location: new URL(request.url.slice(1), other).href }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${server.address().port}`
  return { url, close: () => server.close() }
}

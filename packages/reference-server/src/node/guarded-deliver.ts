import { lookup } from 'node:dns'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Send } from '../webhooks/send-delivery.ts'
import { addressKind, hasBlockedPort, targetKind } from '../webhooks/webhook-target.ts'

/**
 * Sends deliveries to public addresses only, for a server that other machines can reach. A name is looked up once, and
 * what is checked is the address that the connection goes to.
 */
export const guardedDeliver: Send = (url, { method = 'POST', headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const kind = targetKind(url)
    if (kind === 'loopback' || kind === 'private') return reject(privateAddress(new URL(url).hostname))
    if (hasBlockedPort(url)) return reject(new Error('bad port'))
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const options = { method, headers: Object.fromEntries(new Headers(headers)), lookup: publicLookup, agent: false }
    const request = send(url, { ...options, ...(signal ? { signal } : {}) }, (response) => {
      response.on('error', () => {}) // it is of no interest, and may well break off
      response.resume()
      const { statusCode: status = 0 } = response
      if (status >= 200 && status <= 599) resolve(new Response(null, { status }))
      else reject(new Error(`The receiver responded with the status ${status}, which does not exist.`))
    })
    request.on('error', reject)
    request.end(body)
  })

/** Finds the addresses of a name, and fails when one of them is not public. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, [])
    const hasPrivate = addresses.some(({ address }) => addressKind(address) !== 'public')
    const [first] = addresses
    if (hasPrivate || first === undefined) return callback(privateAddress(hostname), [])
    if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

function privateAddress(host: string): Error {
  return new Error(
    `${host} is a private address, and this server calls public ones only: start it with --allow-private-webhooks ` +
      '(allowPrivateWebhooks of listen) to let it',
  )
}

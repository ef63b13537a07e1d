// The least that a server on hono can do: one route, one body, no key. JavaScript, so that starting it costs no more than
// starting the others. Takes the port and the body.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const [port, body] = process.argv.slice(2)
const value = JSON.parse(body ?? '')
const { fetch } = new Hono().get('/v1/jobs/:id', (context) => context.json(value))
serve({ fetch, port: Number(port), hostname: '127.0.0.1', overrideGlobalObjects: false })

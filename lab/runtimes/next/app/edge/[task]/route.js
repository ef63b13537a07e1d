import { after } from 'next/server'
import worker from '@/programs/worker.mjs'

export const runtime = 'edge'

const handle = (request) => worker.fetch(request, {}, { waitUntil: (work) => after(() => work) })

export { handle as GET, handle as POST }

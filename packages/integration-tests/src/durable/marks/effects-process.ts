// A process whose handler writes one effect a task into a database of its user, and is killed before the task has ended.
import { setTimeout } from 'node:timers/promises'
import { createMarks } from '@modelrun/durable/marks'
import pg from 'pg'
import { openEngine } from '../open-engine.ts'

const { engineAt, url } = JSON.parse(process.argv[2] ?? '{}')
const engine = openEngine(engineAt)
const pool = new pg.Pool({ connectionString: url })
const marks = createMarks('postgres')

engine.work(
  'posters',
  async ({ id }) => {
    const client = await pool.connect()
    await client.query('BEGIN')
    if (await marks.mark(client, id)) await client.query('INSERT INTO posters (task) VALUES ($1)', [id])
    await client.query('COMMIT')
    client.release()
    console.log(`committed ${id}`)
    await setTimeout(50)
    return undefined
  },
  { lockMs: 600 },
)

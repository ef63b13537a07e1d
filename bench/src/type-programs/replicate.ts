import Replicate from 'replicate'

const client = new Replicate({ auth: 'key' })
export const output: object = await client.run('aurora/image', { input: { prompt: 'a red fox' } })

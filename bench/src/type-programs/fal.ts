import { createFalClient } from '@fal-ai/client'

const client = createFalClient({ credentials: 'key' })
const result = await client.subscribe('aurora/image', { input: { prompt: 'a red fox' } })
export const requestId: string = result.requestId

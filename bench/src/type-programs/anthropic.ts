import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ apiKey: 'key' })
const messages = [{ role: 'user' as const, content: 'a red fox' }]
const message = await client.messages.create({ model: 'aurora', max_tokens: 16, messages })
export const kind: string | undefined = message.content[0]?.type

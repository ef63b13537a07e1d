import OpenAI from 'openai'

const client = new OpenAI({ apiKey: 'key' })
const images = await client.images.generate({ prompt: 'a red fox' })
export const url: string | undefined = images.data?.[0]?.url

import { getCollection } from 'astro:content'

export async function GET() {
  const pages = await getCollection('docs')
  const lines = pages.map(({ id, data }) => `- [${data.title}](/${id}.md)`)
  return new Response(`# modelrun\n\n${lines.join('\n')}\n`)
}

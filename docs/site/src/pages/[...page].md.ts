import { getCollection } from 'astro:content'

/** Each page as Markdown, for programs that read: its address with `.md`. */
export async function getStaticPaths() {
  const pages = await getCollection('docs')
  return pages.map(({ id, data, body }) => ({
    params: { page: id },
    props: { text: `# ${data.title}\n${body ?? ''}` },
  }))
}

export function GET({ props: { text } }: { props: { text: string } }) {
  return new Response(text, { headers: { 'content-type': 'text/markdown; charset=utf-8' } })
}

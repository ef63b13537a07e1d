import { groups, pageOf, partsOf } from '../../pages.mjs'

/** The pages in the order of the sidebar, each with its first sentence. */
export function GET() {
  const parts = Object.entries(groups).map(([label, documents]) => `## ${label}\n\n${documents.map(line).join('\n')}\n`)
  return new Response(
    `# modelrun\n\n> Run paid AI models from TypeScript, and never pay for a run twice.\n\n${parts.join('\n')}`,
  )
}

function line(path: string): string {
  const { title, body } = partsOf(path)
  const paragraph = body.split(/\n{2,}/).find((text: string) => /^\s*[A-Z`[*]/.test(text)) ?? ''
  const plain = paragraph
    .trim()
    .replaceAll('\n', ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  const [sentence = ''] = plain.split(/(?<=[.:])\s/, 1)
  return `- [${title}](/${pageOf(path)}.md): ${sentence.replace(/:$/, '.')}`
}

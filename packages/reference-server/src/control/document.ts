/** Path of the document below the control API's prefix. */
export const DOCUMENT_PATH = '/openapi.json'

/** `GET /_reference/openapi.json`: `control-openapi.json`, at the URL of this server. Most servers live for one test and never load it. */
export async function documentAt(baseUrl: string): Promise<object> {
  const { default: document } = await import('../../control-openapi.json', { with: { type: 'json' } })
  return { ...document, servers: [{ url: baseUrl, description: 'The modelrun reference server' }] }
}

const encoder = new TextEncoder()

/**
 * An answer with a JSON body and its `content-length`: MSW needs twice the time, and ever more memory, for answers
 * without.
 */
export function jsonResponse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const bytes = encoder.encode(JSON.stringify(body))
  return new Response(bytes, {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.byteLength), ...headers },
  })
}

/** What a failure tells to do, by its code and its message with a space between them. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|InvalidContentType/,
    'The server speaks plain http: use http:// instead of https://. Behind a proxy, look at the url of the proxy too.',
  ],
  [
    /TLS handshake failed/,
    'Either the server speaks plain http: then its url begins with http://. Or it asks for a client certificate.',
  ],
  [
    /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_SELF_)|UnknownIssuer/,
    'The certificate is from an authority that is not trusted here. For that of a company, set NODE_EXTRA_CA_CERTS (in Deno DENO_CERT) to its file.',
  ],
  [
    /Proxy response \(407\)|tunnel: 407|proxy authentication required/i,
    'The proxy asks for a user and a password: they go into its url, http://user:password@….',
  ],
  [
    /Proxy response \(\d|^ERR_PROXY_TUNNEL|^UND_ERR_PRX_CONN|unsuccessful tunnel/,
    'The proxy made no connection to the service: it does not allow it, or cannot reach it.',
  ],
  [
    /^UND_ERR_INVALID_ARG invalid on/,
    'The `dispatcher` is from another version of undici than `fetch`: pass the `fetch` of that undici as the option `fetch`.',
  ],
  [/^ bad port$|Requests to port \d/, '`fetch` never uses this port: let the service listen on another one.'],
]

/** A sentence on what to do about a failed connection, where that is known. `line`: its code, a space, its message. */
export function hintFor(line: string): string | undefined {
  return HINTS.find(([pattern]) => pattern.test(line))?.[1]
}
